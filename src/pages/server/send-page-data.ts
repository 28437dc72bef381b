import type { ServerResponse } from "node:http";
import { constantHeaders } from "../constant-headers.ts";
import { browserLimits } from "../limits.ts";
import { type Answer, type Preamble, pageDataType } from "../page-data.ts";
import type { View } from "../view.ts";
import type { Decision, Written } from "./decision.ts";
import { beginStream, type Sink, sendWhole } from "./send.ts";
import type { Visit } from "./visit.ts";

/** Sends a decision as page data: in one piece when it comes quickly, else a preamble at once and signs of life until it is there. */
export async function sendPageData(visit: Visit, response: ServerResponse, decision: Promise<Decision>): Promise<void> {
  const lines = new DataLines(visit, response);
  const hurry = setTimeout(() => lines.begin(200), visit.site.limits.preambleMs);
  try {
    const decided = await decision;
    clearTimeout(hurry);
    await visit.errors.durable;
    const line = writeAnswer(decided);
    const late = decided.kind === "view" ? lateOf(decided.written) : [];
    if (!lines.hasBegun && late.length === 0) return await sendInOnePiece(visit, response, statusOf(decided), line);
    lines.begin(statusOf(decided));
    lines.write(line);
    await visit.late.each(late, (settled) => lines.write(settled));
    lines.end();
  } finally {
    clearTimeout(hurry);
    lines.stopBeating();
  }
}

/** An answer that is written line by line, with signs of life in between. */
class DataLines {
  readonly #visit: Visit;
  readonly #response: ServerResponse;
  #sink: Sink | undefined;
  #beating: NodeJS.Timeout | undefined;

  constructor(visit: Visit, response: ServerResponse) {
    this.#visit = visit;
    this.#response = response;
  }

  get hasBegun(): boolean {
    return this.#sink !== undefined;
  }

  /** Sends head and preamble, unless they are out already. */
  begin(status: number): void {
    if (this.#sink) return;
    this.#sink = beginStream(this.#response, this.#visit.request.incoming, status, headersOf(this.#visit));
    this.write(preambleOf(this.#visit));
    this.#beating = setInterval(() => this.write(""), this.#visit.site.limits.heartbeatMs);
    this.#response.once("close", () => this.stopBeating());
  }

  write(line: string): void {
    this.#sink?.write(`${line}\n`);
    this.#sink?.flush();
  }

  end(): void {
    this.write(endLine);
    this.#sink?.end();
  }

  stopBeating(): void {
    clearInterval(this.#beating);
  }
}

const endLine = '{"kind":"end"}';

function sendInOnePiece(visit: Visit, response: ServerResponse, status: number, line: string): Promise<void> {
  const text = `${preambleOf(visit)}\n${line}\n${endLine}\n`;
  return sendWhole(response, visit.request.incoming, status, headersOf(visit), text);
}

function writeAnswer(decided: Decision): string {
  if (decided.kind === "view") return writeView(decided.view, decided.written);
  return JSON.stringify({ kind: "redirect", status: decided.status, to: decided.to } satisfies Answer);
}

/** A view as the line that carries it, also inside a document for hydration. */
export function writeView(view: View, written: Written): string {
  const rest: Record<string, unknown> = { kind: view.kind, status: view.status, params: view.params };
  if (view.kind !== "page") {
    rest.boundary = view.boundary;
    if (view.route < 0) rest.folders = view.folders;
  }
  if (view.kind === "error" && view.digest !== undefined) rest.digest = view.digest;
  const form = written.form === undefined ? "" : `,"form":${written.form}`;
  return `${JSON.stringify(rest).slice(0, -1)}${form},"data":${writeList(written.data)}}`;
}

/** As `writeTagged` writes a list: one that begins like a tag gets a tag of its own. */
function writeList(values: Written["data"]): string {
  const list = `[${values.map((one) => one.text).join()}]`;
  return list.startsWith('["~') ? `["~a",${list}]` : list;
}

export function lateOf(written: Written): number[] {
  return written.data.flatMap((one) => one.late);
}

/** `tag` is left empty where the answer may be kept for other visitors. */
export function preambleOf(visit: Visit, tag = visit.request.sessionTag()): string {
  const { route, site } = visit;
  return JSON.stringify({
    build: site.application.parts.build,
    route: route.id,
    fresh: route.freshMs ?? browserLimits.prefetchFreshMs,
    expires: route.expiresMs ?? browserLimits.prefetchExpiresMs,
    tag,
  } satisfies Preamble);
}

function statusOf(decided: Decision): number {
  // Never a 3xx: a redirect is an answer like the others, so that the browser's fetch does not follow it by itself.
  return decided.kind === "redirect" ? 200 : decided.view.status;
}

function headersOf(visit: Visit): string[] {
  const headers = [...constantHeaders, "Content-Type", pageDataType, "Cache-Control", "private, no-store"];
  for (const cookie of visit.request.cookiesToSend()) headers.push("Set-Cookie", cookie);
  if (visit.signals.handOver) headers.push("Server-Timing", visit.signals.handOver);
  return headers;
}
