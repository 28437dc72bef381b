export { type ApplicationFiles, readApplication } from "./application-files.ts";
export { type BuildApplicationOptions, buildApplication } from "./build-application.ts";
export { type OpenSources, type OpenSourcesOptions, openSources } from "./dev/open-sources.ts";
export { generateTypes } from "./generate-types.ts";
export { type BuildManifest, type ManifestFile, type ManifestRoute, readManifest } from "./output/manifest.ts";
export { writeSizeTable } from "./output/size-table.ts";
export { type HoldfastPluginOptions, holdfast } from "./plugin.ts";
