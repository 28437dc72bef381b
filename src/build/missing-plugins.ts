import react from "@vitejs/plugin-react";
import { loadConfigFromFile, type PluginOption } from "vite";
import { describeBundlerError } from "./describe-bundler-error.ts";
import { buildErrors } from "./errors.ts";
import { type HoldfastPluginOptions, holdfast, pluginName } from "./plugin.ts";

/** Returns the required plugins that the application's `vite.config`, if any, does not include. */
export async function missingPlugins(
  root: string,
  command: "build" | "serve",
  options: HoldfastPluginOptions = {},
): Promise<PluginOption[]> {
  const mode = command === "build" ? "production" : "development";
  const userConfig = await loadConfigFromFile({ command, mode }, undefined, root).catch((error: unknown) => {
    throw buildErrors.configFails(describeBundlerError(error, root).join(" "));
  });
  const names = await namesOf(userConfig?.config.plugins);
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
