import { createHash } from "node:crypto";

/** The parts of a source map that are touched here; the rest is passed on. */
export interface SourceMapText {
  mappings: string;
  sources: (string | null)[];
  debug_id?: string;
  debugId?: string;
}

/**
 * Ties a chunk to its source map by an id in both, so that a stack can be translated from any address that served the
 * chunk: the debug ids of the Sentry protocol. The id is made from the code, so equal sources have equal ids.
 */
export function debugIdOf(code: string): string {
  const hex = createHash("sha256").update(code).digest("hex");
  // Version 4 and its variant in their places: readers refuse other kinds of UUID.
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/**
 * When the chunk runs, its own stack tells the reporter at which address it runs. On a line of its own, so that columns
 * stay true.
 */
export function addDebugId(code: string, id: string): string {
  const [, body = code, link = ""] = /^([\s\S]*?)(\n\/\/# sourceMappingURL=\S+\s*)?$/.exec(code) ?? [];
  return `try{(globalThis._sentryDebugIds??={})[Error().stack]="${id}"}catch{}\n${body.trimEnd()}\n//# debugId=${id}${link || "\n"}`;
}

/** `mappings` has one `;` per line: the line put before the code is one more. */
export function addDebugIdToMap<Map extends SourceMapText>(map: Map, id: string): Map {
  return { ...map, mappings: `;${map.mappings}`, debug_id: id, debugId: id };
}
