import type { TextRule } from "./judge-event.ts";

/**
 * Errors that deploys, dead lines and two differing renders cause in browsers. They are reported, apart from the others and as warnings. On a server
 * the same words mean something else: a server that reaches nobody is broken.
 */
export const classes: readonly TextRule[] = [
  {
    name: "deploy-skew",
    pattern:
      /Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS/i,
    origin: "a file of a build that is gone, in the words of Chromium, Firefox, Safari and Vite",
    example: "TypeError: Failed to fetch dynamically imported module: https://shop.example/_assets/page-1.js",
  },
  {
    name: "offline",
    pattern:
      /^TypeError: (?:Failed to fetch|Load failed|NetworkError when attempting to fetch resource|network error)/i,
    origin: "no connection, in the words of Chromium, Safari and Firefox",
    example: "TypeError: Failed to fetch",
  },
  {
    name: "hydration",
    pattern:
      /Minified React error #(?:418|419|421|422|423|425)\b|[Hh]ydration failed|error while hydrating|Text content does not match/,
    origin: "the page rendered differently in the browser; React's numbers and words",
    example: "Error: Minified React error #418; visit https://react.dev/errors/418",
  },
  {
    name: "translator",
    pattern: /Failed to execute '(?:removeChild|insertBefore)' on 'Node'|The object can not be found here/,
    origin: "a translator or an extension moved the page's elements away under React",
    example:
      "NotFoundError: Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node.",
  },
];
