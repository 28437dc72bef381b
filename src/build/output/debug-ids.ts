import { createHash } from "node:crypto";

/** The fields of a source map that change; all others are kept. */
export interface SourceMapText {
  mappings: string;
  sources: (string | null)[];
  debug_id?: string;
  debugId?: string;
}

/**
 * Links a chunk to its source map by an id in both, so that a stack can be mapped from any address that served the
 * chunk: the debug ids of the Sentry protocol. The id is a hash of the code, so equal sources have equal ids.
 */
export function debugIdOf(code: string): string {
  const hex = createHash("sha256").update(code).digest("hex");
  // Sets UUID version 4 and its variant, because readers refuse other UUIDs.
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/**
 * When the chunk runs, its own stack shows the reporter its address. The statement has its own line, so that columns
 * stay valid.
 */
export function addDebugId(code: string, id: string): string {
  const [, body = code, link = ""] = /^([\s\S]*?)(\n\/\/# sourceMappingURL=\S+\s*)?$/.exec(code) ?? [];
  return `try{(globalThis._sentryDebugIds??={})[Error().stack]="${id}"}catch{}\n${body.trimEnd()}\n//# debugId=${id}${link || "\n"}`;
}

/** `mappings` has one `;` per line; the added first line needs one more. */
export function addDebugIdToMap<Map extends SourceMapText>(map: Map, id: string): Map {
  return { ...map, mappings: `;${map.mappings}`, debug_id: id, debugId: id };
}
