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

/** Where a file runs. Worker scripts are `script`: they may not be modules, which know their own address. */
export type ChunkKind = "browser module" | "server module" | "script";

/**
 * When the chunk runs, it registers its address for the reporter, as a stack with one line. A module does not make an
 * `Error` for that: to write its stack, V8 would parse the whole file a second time (10 ms for the entry). The
 * statement has its own line, so that columns stay valid.
 */
export function addDebugId(code: string, id: string, kind: ChunkKind): string {
  const [, body = code, link = ""] = /^([\s\S]*?)(\n\/\/# sourceMappingURL=\S+\s*)?$/.exec(code) ?? [];
  const stack = kind === "script" ? "Error().stack" : 'import.meta.url+":1:1"';
  const registry = `${kind === "browser module" ? "self" : "globalThis"}._sentryDebugIds`;
  return `try{(${registry}??={})[${stack}]="${id}"}catch{}\n${body.trimEnd()}\n//# debugId=${id}${link || "\n"}`;
}

export function addDebugIdToMap<Map extends SourceMapText>(map: Map, id: string): Map {
  return { ...moveLine(map), debug_id: id, debugId: id };
}

/**
 * Asks V8 to compile every function of a file while the file arrives, in another thread, and not one by one when a
 * click calls them for the first time. Only the first line can ask for it; other engines ignore it.
 */
export function compileAhead(code: string): string {
  return `//# allFunctionsCalledOnLoad\n${code}`;
}

/** `mappings` has one `;` per line; an added first line needs one more. */
export function moveLine<Map extends SourceMapText>(map: Map): Map {
  return { ...map, mappings: `;${map.mappings}` };
}
