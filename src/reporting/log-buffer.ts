import { jsonItem, writeEnvelope } from "#protocol";
import type { ReporterDeps } from "./report-error.ts";
import type { Attributes, Level } from "./report-types.ts";
import type { Span, TraceSegment } from "./trace/trace.ts";

export interface BufferedLog {
  timeMs: number;
  level: Level;
  text: string;
  attributes: Attributes;
  segment: TraceSegment | undefined;
  span: Span | undefined;
}

export interface LogBuffer {
  add(line: BufferedLog): void;
  flush(): void;
}

/** Severity numbers of the protocol. */
const severity: Readonly<Record<Level, number>> = { debug: 5, info: 9, warning: 13, error: 17, fatal: 21 };

/** Collects log lines and sends them together. */
export function createLogBuffer(deps: ReporterDeps, send: (envelope: Uint8Array) => void): LogBuffer {
  let lines: object[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length === 0) return;
    const items = lines;
    lines = [];
    const header = { itemCount: items.length, contentType: "application/vnd.sentry.items.log+json" };
    send(writeEnvelope({ sdk: deps.identity.sdk }, [jsonItem("log", { version: 2, items }, header)]));
  };
  return {
    add: (line) => {
      lines.push(writeLine(line, deps));
      if (lines.length >= deps.limits.logsAtOnce) return flush();
      timer ??= setTimeout(flush, deps.limits.logMs);
      // Otherwise Node would wait for the timer at its end; a browser's timer is a number.
      if (typeof timer === "object") timer.unref();
    },
    flush,
  };
}

function writeLine(line: BufferedLog, { identity, scrub, limits }: ReporterDeps): object {
  const attributes = Object.entries({
    "sentry.release": identity.release,
    "sentry.environment": identity.environment,
    "sentry.sdk.name": identity.sdk.name,
    ...line.attributes,
  }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const clean = scrub.isSecretName(name) ? scrub.value({ [name]: value }) : { [name]: scrub.value(value) };
    return Object.entries(clean as Attributes).map(([key, one]) => [key, { value: one, type: typeOf(one) }]);
  });
  return {
    timestamp: line.timeMs / 1000,
    level: line.level === "warning" ? "warn" : line.level,
    severity_number: severity[line.level],
    body: scrub.text(line.text.slice(0, limits.textLength)),
    trace_id: line.segment?.traceId,
    span_id: line.span?.spanId ?? line.segment?.root.spanId,
    attributes: Object.fromEntries(attributes),
  };
}

function typeOf(value: unknown): "string" | "boolean" | "integer" | "double" {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "double";
  return typeof value === "boolean" ? "boolean" : "string";
}
