import type { TextRule } from "./text-rule.ts";

/**
 * Errors that deploys, lost connections and differing renders cause in browsers. They are reported separately, as
 * warnings. Only for browsers: a server without a connection is broken.
 */
export const classes: readonly TextRule[] = [
  // A file of an old build is missing: messages of Chromium, Firefox, Safari and Vite.
  {
    name: "deploy-skew",
    pattern:
      /Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS/i,
  },
  // No connection: messages of Chromium, Safari and Firefox.
  {
    name: "offline",
    pattern:
      /^TypeError: (?:Failed to fetch|Load failed|NetworkError when attempting to fetch resource|network error)/i,
  },
  // The page rendered differently in the browser: React's error numbers and messages.
  {
    name: "hydration",
    pattern:
      /Minified React error #(?:418|419|421|422|423|425)\b|[Hh]ydration failed|error while hydrating|Text content does not match/,
  },
  // A translator or an extension moved elements that React manages.
  {
    name: "translator",
    pattern: /Failed to execute '(?:removeChild|insertBefore)' on 'Node'|The object can not be found here/,
  },
];
