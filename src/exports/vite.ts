/**
 * `holdfast/vite`: the Vite plugin, for applications that have a `vite.config.ts` of their own.
 * @module
 */
/**
 * Makes the files under `src/pages` the routes of a browser bundle and a server bundle. Add `@vitejs/plugin-react`
 * beside it.
 */
export { type HoldfastPluginOptions, holdfast } from "#build";
