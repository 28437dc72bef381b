import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { configFiles } from "#routes";

/** The settings of `holdfast.config.ts` that the build needs. A start of the server checks all of them. */
export interface BuildSettings {
  redirects?: unknown;
  rewrites?: unknown;
  languages?: unknown;
  pageExtensions?: unknown;
  nativePackages?: unknown;
  trailingSlash?: unknown;
  assets?: unknown;
  images?: unknown;
  report?: unknown;
}

export async function readBuildSettings(root: string): Promise<BuildSettings> {
  const file = configFiles.map((name) => join(root, name)).find((one) => existsSync(one));
  if (file === undefined) return {};
  const { default: config }: { default?: BuildSettings | null } = await import(pathToFileURL(file).href);
  return config ?? {};
}

/** Whether the application names the service that takes its reports. */
export function namesService({ report }: BuildSettings): boolean {
  return typeof report === "object" && report !== null && "dsn" in report && typeof report.dsn === "string";
}
