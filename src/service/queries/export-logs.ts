import type { LogLine } from "../stores/filed.ts";
import { type LogsQuestion, logs } from "./logs.ts";
import type { QueryContext } from "./query-context.ts";
import { scanLimits } from "./scan-limits.ts";

const linesAtOnce = 1_000;

/** Yields the lines of a question as one JSON object each, newest first, as fast as the client takes them. */
export async function* exportLogs(context: QueryContext, question: LogsQuestion): AsyncGenerator<string> {
  const { exportedLines } = context.limits ?? scanLimits;
  let { after } = question;
  for (let written = 0; written < exportedLines; ) {
    const page = await logs(context, { ...question, after, limit: Math.min(linesAtOnce, exportedLines - written) });
    if (page.lines.length > 0) yield page.lines.map(asJson).join("");
    written += page.lines.length;
    after = page.next;
    if (after === undefined) return;
  }
}

function asJson({ at, level, body, traceId, spanId, attributes }: LogLine): string {
  return `${JSON.stringify({ time: new Date(at).toISOString(), level, body, traceId, spanId, attributes })}\n`;
}
