import { type HoldfastPluginOptions, holdfast, isStaticBuild, prerenderPlugin } from "#build";
import { openTerminal } from "./terminal.ts";

export type { HoldfastPluginOptions };

type Plugins = ReturnType<typeof holdfast>;

/**
 * Turns the files under `src/pages` into the routes of a browser bundle and a server bundle. Add `@vitejs/plugin-react`
 * beside it.
 */
export function vitePlugin(options: HoldfastPluginOptions = {}): Plugins {
  return [...holdfast(options), prerenderPlugin(prerender)];
}

/** Loaded when a build has pages to make. `holdfast build` has its own, which wins. */
const prerender: Parameters<typeof prerenderPlugin>[0] = async (build) => {
  const { prerenderPages } = await import("./prerender/prerender-pages.ts");
  const { NODE_ENV: nodeEnv } = process.env;
  return prerenderPages(build, { terminal: openTerminal(), nodeEnv, isStatic: isStaticBuild() });
};
