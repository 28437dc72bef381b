import { resolve } from "node:path";
import { createBuilder } from "vite";
import { buildErrors } from "./errors.ts";
import { missingPlugins } from "./missing-plugins.ts";
import { type BuildManifest, readManifest } from "./output/manifest.ts";
import type { HoldfastPluginOptions } from "./plugin.ts";
import { type PrerenderPages, prerenderPlugin } from "./prerender/prerender-step.ts";
import { setStaticBuild } from "./static/is-static-build.ts";

export interface BuildApplicationOptions extends HoldfastPluginOptions {
  root: string;
  /** Makes the pages that declare `prerender`. Without it, they are rendered for each request. */
  prerender?: PrerenderPages;
  /** Whether it becomes a folder for any file server. */
  isStatic?: boolean;
}

/** Builds an application for production, with or without its own `vite.config`. Returns the manifest of the build. */
export async function buildApplication({
  root,
  prerender,
  isStatic = false,
  ...options
}: BuildApplicationOptions): Promise<BuildManifest> {
  const folder = resolve(root);
  const outDir = options.outDir ?? "dist";
  // A shell or a test runner may have set another value, and React would be built with its development checks.
  process.env.NODE_ENV = "production";
  setStaticBuild(isStatic);
  const builder = await createBuilder({
    root: folder,
    logLevel: "warn",
    plugins: [await missingPlugins(folder, "build", options), prerender && prerenderPlugin(prerender)],
  });
  await builder.buildApp();
  const manifest = await readManifest(resolve(folder, outDir));
  if (!manifest) throw buildErrors.noManifest(resolve(folder, outDir));
  return manifest;
}
