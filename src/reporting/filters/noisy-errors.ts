import type { TextRule } from "./text-rule.ts";

/** Errors of browsers, extensions and embedding apps that the application does not cause. Only applied to browsers. */
export const noisyErrors: readonly TextRule[] = [
  // A script of another origin without CORS: browsers hide message, position and stack.
  { name: "opaque-script-error", pattern: /^Error: Script error\.?$/ },
  // The same in some embedded browsers.
  { name: "opaque-script-error", pattern: /^Error: Javascript error: Script error\.? on line 0$/ },
  // The browser delayed a notification by one frame; harmless by specification.
  {
    name: "resize-observer",
    pattern: /ResizeObserver loop (?:completed with undelivered notifications|limit exceeded)/,
  },
  // A browser extension that was updated while the page was open.
  {
    name: "extension-script",
    pattern: /Extension context invalidated|runtime\.sendMessage|message port closed before a response was received/i,
  },
  // Advertising script loaded twice by an extension.
  { name: "ad-script", pattern: /Cannot redefine property: googletag/ },
  // Two wallet extensions that define the same global.
  {
    name: "wallet-extension",
    pattern:
      /can't redefine non-configurable property "(?:solana|ethereum)"|Cannot redefine property: (?:ethereum|solana)/,
  },
  // Script of a search app's built-in browser on iOS.
  { name: "search-app", pattern: /Can't find variable: gmo\b/ },
  // Minified script of a search app's built-in browser on iOS.
  { name: "search-app", pattern: /undefined is not an object \(evaluating 'a\.[A-Z]'\)/ },
  // A marketing tool's injected script.
  { name: "marketing-script", pattern: /vv\(\)\.getRestrictions is not a function/ },
  // Autofill of a social network's built-in browser on iOS.
  { name: "autofill-script", pattern: /Can't find variable: _AutofillCallbackHandler/ },
  // Mail programs that open links to check them.
  { name: "link-scanner", pattern: /Object Not Found Matching Id:\d+, MethodName:simulateEvent/ },
  // The bridge of an Android app that shows the page and was closed.
  { name: "android-bridge", pattern: /Java (?:exception was raised during method invocation|object is gone)$/ },
  // A visitor paused a video before it started.
  { name: "media-interrupted", pattern: /The play\(\) request was interrupted/ },
];
