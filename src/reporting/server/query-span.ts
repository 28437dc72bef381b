import type { Span } from "../trace.ts";
import { whereabouts } from "./request-context.ts";

/** A query that the running request makes now; nothing when nobody traces it. Whoever begins it ends it. */
export function beginQuery(system: "sqlite" | "postgresql", sql: string, nowMs: number): Span | undefined {
  const where = whereabouts.getStore();
  if (!where?.request.segment.sampled) return undefined;
  const span = where.request.segment.begin(where.span, "db.query", withoutValues(sql), nowMs);
  span.data = { "db.system.name": system };
  return span;
}

/** The statement is the same for all; the texts and numbers that are written into it may be anyone's. */
function withoutValues(sql: string): string {
  return sql
    .slice(0, 1_000)
    .replace(/'(?:[^']|'')*'?|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|(?<![\w$])\d+(?:\.\d+)?\b/g, "?")
    .replace(/\s+/g, " ")
    .trim();
}
