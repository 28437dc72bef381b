import { pathToFileURL } from "node:url";
import { entryPoints } from "../own-package.ts";

/**
 * In development, Vite runs the application's modules and would create a second instance of a module that the host
 * shares with it: errors captured there would reach no reporter. So it gets a module that re-exports the host's own
 * instance.
 */
export const hostEntryPattern: RegExp = /^\0holdfast:entry-point:/;

/** Host and application run in one process. Keyed by file, because two copies of the package may run there. */
const sharedModules = Symbol.for("holdfast.entry-points");

export function hostEntryId(entryPoint: string): string {
  return `\0holdfast:entry-point:${entryPoint}`;
}

export async function writeHostEntry(id: string): Promise<string> {
  const file = entryPoints.get(id.replace(hostEntryPattern, ""));
  if (file === undefined) throw new Error(`There is no entry point ${id}.`);
  const instance: Record<string, unknown> = await import(pathToFileURL(file).href);
  const instances: Map<string, unknown> = (Reflect.get(globalThis, sharedModules) as Map<string, unknown>) ?? new Map();
  Reflect.set(globalThis, sharedModules, instances.set(file, instance));
  return `export const { ${Object.keys(instance).join(", ")} } = globalThis[Symbol.for(${JSON.stringify(sharedModules.description)})].get(${JSON.stringify(file)});\n`;
}
