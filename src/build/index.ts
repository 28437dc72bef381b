export { type BuildApplicationOptions, buildApplication } from "./build-application.ts";
export { type HoldfastPluginOptions, holdfast } from "./plugin.ts";
