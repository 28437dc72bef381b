import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { slashed } from "./application-files.ts";

/** Describes why the bundler stopped, one paragraph per error: plugin, position and message. */
export function describeBundlerError(error: unknown, root: string): string[] {
  const several = error instanceof Error && "errors" in error && Array.isArray(error.errors) ? error.errors : [];
  return (several.length > 0 ? several : [error]).map((one) => describeOne(one, root));
}

function describeOne(error: unknown, root: string): string {
  if (!(error instanceof Error)) return String(error);
  const { plugin, id, loc }: { plugin?: unknown; id?: unknown; loc?: { line?: unknown; column?: unknown } } =
    error as object;
  const words = stripVTControlCharacters(error.message).trim() || error.name;
  // The compiler names no plugin, and its message contains the position.
  if (typeof plugin !== "string") return words + locationOf(error, root);
  const at = typeof loc?.line === "number" ? `:${loc.line}:${loc.column}` : "";
  const file = typeof id === "string" ? ` in ${nameIn(root, id)}${at}` : "";
  return `Plugin ${plugin}${file}: ${words}${locationOf(error, root)}`;
}

/** Returns the first stack line inside the application. Its vite.config runs from a copy with different lines. */
function locationOf({ stack = "" }: Error, root: string): string {
  for (const line of stack.split("\n")) {
    const [, location] = /^\s+at .*?\(?(?:file:\/\/)?([^\s()]+:\d+:\d+)\)?$/.exec(line) ?? [];
    const config = /vite\.config\.[cm]?[jt]s/.exec(location ?? "")?.[0];
    if (config) return ` (${config})`;
    if (location && isInside(root, location)) return ` (${nameIn(root, location)})`;
  }
  return "";
}

function isInside(root: string, location: string): boolean {
  const name = nameIn(root, location);
  return name !== location && !name.includes("node_modules/");
}

function nameIn(root: string, file: string): string {
  const name = slashed(relative(root, file));
  return name.startsWith("../") ? file : name;
}
