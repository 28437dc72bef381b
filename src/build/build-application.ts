import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { createBuilder, loadConfigFromFile, type PluginOption } from "vite";
import { buildErrors } from "./errors.ts";
import { type BuildManifest, readManifest } from "./output/manifest.ts";
import { type HoldfastPluginOptions, holdfast, pluginName } from "./plugin.ts";

export interface BuildApplicationOptions extends HoldfastPluginOptions {
  root: string;
}

/** Builds an application for production, with or without a `vite.config` of its own. Gives what the build has written down about itself. */
export async function buildApplication({ root, outDir = "dist" }: BuildApplicationOptions): Promise<BuildManifest> {
  const folder = resolve(root);
  // A shell or a test runner may have set another one, and React would be built with its checks for developers.
  process.env.NODE_ENV = "production";
  const builder = await createBuilder({
    root: folder,
    logLevel: "warn",
    plugins: await missingPlugins(folder, "build", { outDir }),
  });
  await builder.buildApp();
  const manifest = await readManifest(resolve(folder, outDir));
  if (!manifest) throw buildErrors.noManifest(resolve(folder, outDir));
  return manifest;
}

/** The plugins that an application needs and that its own `vite.config`, if there is one, does not have. */
export async function missingPlugins(
  root: string,
  command: "build" | "serve",
  options: HoldfastPluginOptions = {},
): Promise<PluginOption[]> {
  const mode = command === "build" ? "production" : "development";
  const own = await loadConfigFromFile({ command, mode }, undefined, root);
  const names = await namesOf(own?.config.plugins);
  return [
    names.some((name) => name.startsWith("vite:react")) ? [] : react(),
    names.includes(pluginName) ? [] : holdfast(options),
  ];
}

async function namesOf(option: PluginOption): Promise<string[]> {
  const plugin = await option;
  if (!plugin) return [];
  if (Array.isArray(plugin)) return (await Promise.all(plugin.map(namesOf))).flat();
  return [plugin.name];
}
