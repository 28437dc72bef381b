/**
 * `holdfast/vite`: the Vite plugin, for applications with their own `vite.config.ts`.
 * @module
 */
/**
 * Turns the files under `src/pages` into the routes of a browser bundle and a server bundle. Add `@vitejs/plugin-react`
 * beside it.
 */
export { type HoldfastPluginOptions, vitePlugin as holdfast } from "#cli/vite-plugin";
