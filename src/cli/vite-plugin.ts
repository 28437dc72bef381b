import { type BuildToPrerender, type HoldfastPluginOptions, holdfast, isStaticBuild, prerenderPlugin } from "#build";
import { openTerminal } from "./terminal.ts";

export type { HoldfastPluginOptions };

type Plugins = ReturnType<typeof holdfast>;

/**
 * Turns the files under `src/pages` into the routes of a browser bundle and a server bundle. Add `@vitejs/plugin-react`
 * beside it.
 */
export function vitePlugin(options: HoldfastPluginOptions = {}): Plugins {
  // Before the build sets it.
  const { NODE_ENV: nodeEnv } = process.env;
  return [...holdfast(options), prerenderPlugin((build) => prerender(build, nodeEnv))];
}

/** Loaded when a build has pages to make. `holdfast build` has its own, which wins. */
const prerender = async (
  build: BuildToPrerender,
  nodeEnv: string | undefined,
): ReturnType<Parameters<typeof prerenderPlugin>[0]> => {
  const { prerenderPages } = await import("./prerender/prerender-pages.ts");
  return prerenderPages(build, { terminal: openTerminal(), nodeEnv, isStatic: isStaticBuild() });
};
