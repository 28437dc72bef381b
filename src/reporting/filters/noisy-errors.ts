import type { TextRule } from "./judge-event.ts";

/** Errors of browsers, extensions and embedding apps that say nothing about the application. Only looked at for browsers. */
export const noisyErrors: readonly TextRule[] = [
  {
    name: "opaque-script-error",
    pattern: /^Error: Script error\.?$/,
    origin: "a script of another origin without CORS: browsers hide message, place and stack",
    example: "Error: Script error.",
  },
  {
    name: "opaque-script-error",
    pattern: /^Error: Javascript error: Script error\.? on line 0$/,
    origin: "the same, as some embedded browsers word it",
    example: "Error: Javascript error: Script error. on line 0",
  },
  {
    name: "resize-observer",
    pattern: /ResizeObserver loop (?:completed with undelivered notifications|limit exceeded)/,
    origin: "the browser put off one notification by a frame; harmless by specification",
    example: "Error: ResizeObserver loop completed with undelivered notifications.",
  },
  {
    name: "extension-script",
    pattern: /Extension context invalidated|runtime\.sendMessage|message port closed before a response was received/i,
    origin: "a browser extension that was updated while the page was open",
    example: "Error: Extension context invalidated.",
  },
  {
    name: "ad-script",
    pattern: /Cannot redefine property: googletag/,
    origin: "advertising script loaded twice by an extension",
    example: "TypeError: Cannot redefine property: googletag",
  },
  {
    name: "wallet-extension",
    pattern:
      /can't redefine non-configurable property "(?:solana|ethereum)"|Cannot redefine property: (?:ethereum|solana)/,
    origin: "two wallet extensions that fight for the same global",
    example: 'TypeError: can\'t redefine non-configurable property "solana"',
  },
  {
    name: "search-app",
    pattern: /Can't find variable: gmo\b/,
    origin: "script of a search app's built-in browser on iOS",
    example: "ReferenceError: Can't find variable: gmo",
  },
  {
    name: "search-app",
    pattern: /undefined is not an object \(evaluating 'a\.[A-Z]'\)/,
    origin: "minified script of a search app's built-in browser on iOS",
    example: "TypeError: undefined is not an object (evaluating 'a.L')",
  },
  {
    name: "marketing-script",
    pattern: /vv\(\)\.getRestrictions is not a function/,
    origin: "a marketing tool's injected script",
    example: "TypeError: vv().getRestrictions is not a function",
  },
  {
    name: "autofill-script",
    pattern: /Can't find variable: _AutofillCallbackHandler/,
    origin: "autofill of a social network's built-in browser on iOS",
    example: "ReferenceError: Can't find variable: _AutofillCallbackHandler",
  },
  {
    name: "link-scanner",
    pattern: /Object Not Found Matching Id:\d+, MethodName:simulateEvent/,
    origin: "mail programs that open links to check them",
    example: "Error: Object Not Found Matching Id:3, MethodName:simulateEvent, ParamCount:1",
  },
  {
    name: "android-bridge",
    pattern: /Java (?:exception was raised during method invocation|object is gone)$/,
    origin: "the bridge of an Android app that shows the page and was closed",
    example: "Error: Java object is gone",
  },
  {
    name: "media-interrupted",
    pattern: /The play\(\) request was interrupted/,
    origin: "a visitor who pressed pause before the film began",
    example: "AbortError: The play() request was interrupted by a call to pause().",
  },
];
