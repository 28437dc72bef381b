/**
 * The two modules that tie an application to the framework, written as code. They are the roots of the two bundles:
 * everything the server or the browser runs is reached from here.
 */
export const serverEntry = "virtual:holdfast/server";
export const browserEntry = "virtual:holdfast/browser";
/** The framework's own code that a page needs once it is alive, in one file. */
export const laterModule = "virtual:holdfast/later";
/** What the browser build has written, for the server to name in its documents. */
export const assetsModule = "virtual:holdfast/assets";

/**
 * Stands for the build id until the browser's files are known. As long as the id itself, so that source maps stay true.
 */
export const buildIdMark = "@@build-id@@";
/**
 * What a document asks for while developing. Vite's client and React's refresh must be there before the first component
 * is defined, and the overlay even when nothing of the application can be loaded; such a page reloads with the next
 * change.
 */
export const devEntry = "virtual:holdfast/dev";
/**
 * The rest of it in a module of its own: Vite's client comes before everything in a module that uses `import.meta.hot`.
 */
export const devMain = "virtual:holdfast/dev-main";
export const refreshModule = "virtual:holdfast/refresh";
export const styleNonceModule = "virtual:holdfast/style-nonce";
