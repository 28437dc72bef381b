/**
 * The two generated modules that connect an application to the framework. They are the roots of the two bundles:
 * everything that the server or the browser runs is reached from them.
 */
export const serverEntry = "virtual:holdfast/server";
export const browserEntry = "virtual:holdfast/browser";
/** Framework code that loads after hydration, in one file. */
export const laterModule = "virtual:holdfast/later";
/** Files of the browser build, which the server names in its documents. */
export const assetsModule = "virtual:holdfast/assets";

/**
 * Placeholder of the build id until the browser's files are known. It has the same length, so that source maps stay
 * valid.
 */
export const buildIdMark = "@@build-id@@";
/**
 * Entry of a document in development. Vite's client and React Refresh must load before the first component is defined,
 * and the overlay even if the application cannot be loaded; such a page reloads with the next change.
 */
export const devEntry = "virtual:holdfast/dev";
/**
 * The rest of the development entry. It is a separate module, because Vite's client loads first in a module that uses
 * `import.meta.hot`.
 */
export const devMain = "virtual:holdfast/dev-main";
export const refreshModule = "virtual:holdfast/refresh";
export const styleNonceModule = "virtual:holdfast/style-nonce";
/** What components get in place of a file of actions; the start of their names follows. */
export const actionsModule = "virtual:holdfast/actions/";
/** Texts of the framework in one language; its tag follows. */
export const textsModule = "virtual:holdfast/texts/";
