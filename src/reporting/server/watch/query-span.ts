import type { Span } from "../../trace/trace.ts";
import { requestScope } from "../request-context.ts";

/** A span for a query of the current request. Undefined if the request is not traced. The caller ends it. */
export function beginQuery(system: "sqlite" | "postgresql", sql: string, nowMs: number): Span | undefined {
  const where = requestScope.getStore();
  if (!where?.request.segment.sampled) return undefined;
  const span = where.request.segment.begin(where.span, "db.query", withoutValues(sql), nowMs);
  span.data = { "db.system.name": system };
  return span;
}

/**
 * What a statement is made of besides its words: comments, which go; quoted names, which stay; and texts and numbers,
 * which may be anyone's. All are looked for at once, because a quote inside of one is none of another.
 */
const pieces =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|("(?:[^"]|"")*"?)|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'?|'(?:[^']|'')*'?|\$(\w*)\$[\s\S]*?(?:\$\2\$|$)|(?<![\w$])\d+(?:\.\d+)?\b/g;

/** The statement is the same for all who make it. */
export function withoutValues(sql: string): string {
  return sql
    .slice(0, 1_000)
    .replace(pieces, (piece, name: string | undefined) => name ?? (/^(?:--|\/\*)/.test(piece) ? " " : "?"))
    .replace(/\s+/g, " ")
    .trim();
}
