/**
 * `holdfast/vite`: the Vite plugin, for applications that have a `vite.config.ts` of their own.
 * @module
 */
export {};
