/** Names of the configuration in the application's folder; the first one that exists is read. */
export const configFiles: readonly string[] = ["holdfast.config.ts", "holdfast.config.js", "holdfast.config.mjs"];
