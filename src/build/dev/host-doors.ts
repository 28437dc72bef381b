import { pathToFileURL } from "node:url";
import { doors } from "../own-package.ts";

/**
 * In development, Vite runs the application's modules and would create a second instance of a module that the host
 * shares with it: errors captured there would reach no reporter. So it gets a module that re-exports the host's own
 * instance.
 */
export const hostDoor: RegExp = /^\0holdfast:door:/;

/** Host and application run in one process. Keyed by file, because two copies of the package may run there. */
const handedOn = Symbol.for("holdfast.doors");

export function hostDoorId(door: string): string {
  return `\0holdfast:door:${door}`;
}

export async function writeHostDoor(id: string): Promise<string> {
  const file = doors.get(id.replace(hostDoor, ""));
  if (file === undefined) throw new Error(`There is no door ${id}.`);
  const instance: Record<string, unknown> = await import(pathToFileURL(file).href);
  const shelf: Map<string, unknown> = (Reflect.get(globalThis, handedOn) as Map<string, unknown>) ?? new Map();
  Reflect.set(globalThis, handedOn, shelf.set(file, instance));
  return `export const { ${Object.keys(instance).join(", ")} } = globalThis[Symbol.for(${JSON.stringify(handedOn.description)})].get(${JSON.stringify(file)});\n`;
}
