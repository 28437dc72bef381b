import type { Span } from "../../trace/trace.ts";
import { requestScope } from "../request-context.ts";

/** Begins a span for a query of the current request. Undefined if the request is not traced. The caller ends it. */
export function beginQuery(system: "sqlite" | "postgresql", sql: string, nowMs: number): Span | undefined {
  const where = requestScope.getStore();
  if (!where?.request.segment.sampled) return undefined;
  const span = where.request.segment.begin(where.span, "db.query", withoutValues(sql), nowMs);
  span.data = { "db.system.name": system };
  return span;
}

/**
 * Parts of a statement besides its keywords: comments, which are removed; quoted names, which stay; texts and numbers,
 * which may be private. One expression finds all of them, because a quote inside of one does not start another.
 */
const pieces =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|("(?:[^"]|"")*"?)|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'?|'(?:[^']|'')*'?|\$(\w*)\$[\s\S]*?(?:\$\2\$|$)|(?<![\w$])\d+(?:\.\d+)?\b/g;

/** Removes the values, so that the statement is equal for all callers. */
export function withoutValues(sql: string): string {
  return sql
    .slice(0, 1_000)
    .replace(pieces, (piece, name: string | undefined) => name ?? (/^(?:--|\/\*)/.test(piece) ? " " : "?"))
    .replace(/\s+/g, " ")
    .trim();
}
