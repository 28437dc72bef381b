import { beginStream, constantHeaders, noStore, type Sink, send, withCookies } from "#http";
import { noParams } from "#routes";
import { browserLimits } from "../../limits.ts";
import { type AnswerLine, type Preamble, pageDataType } from "../../page-data.ts";
import type { View } from "../../view.ts";
import type { LoadedRoute } from "../application.ts";
import type { Decision, Written } from "../decision.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Visit } from "../visit.ts";

/**
 * Sends a decision as page data: in one piece if it is ready soon, otherwise the preamble after `preambleMs` and then
 * heartbeats until it is ready.
 */
export function sendPageData(visit: Visit, decision: MaybePromise<Decision>): MaybePromise<void> {
  const isThere = !(decision instanceof Promise) && !visit.durable && lateOf(decision).length === 0;
  if (isThere) return sendInOnePiece(visit, statusOf(decision), writeAnswer(decision));
  return sendWhenThere(visit, decision);
}

async function sendWhenThere(visit: Visit, decision: MaybePromise<Decision>): Promise<void> {
  const lines = new DataLines(visit);
  const hurry = setTimeout(() => lines.begin(200), visit.site.limits.preambleMs);
  try {
    const decided = await decision;
    clearTimeout(hurry);
    await visit.durable;
    const line = writeAnswer(decided);
    const late = lateOf(decided);
    if (!lines.hasBegun && late.length === 0) return await sendInOnePiece(visit, statusOf(decided), line);
    lines.begin(statusOf(decided));
    lines.write(line);
    await visit.late.each(late, (settled) => lines.write(settled));
    lines.end();
  } finally {
    clearTimeout(hurry);
    lines.stopBeating();
  }
}

export interface OutcomeAnswer {
  status: number;
  line: string;
}

/**
 * Sends the outcome of an action and then, if requested, the current page, whose loads start after the outcome is sent.
 */
export async function sendOutcome(
  visit: Visit,
  { status, line }: OutcomeAnswer,
  page?: () => MaybePromise<Decision>,
): Promise<void> {
  await visit.durable;
  if (!page) return sendInOnePiece(visit, status, line);
  const lines = new DataLines(visit);
  try {
    lines.begin(status);
    lines.write(line);
    const decided = await page();
    await visit.durable;
    lines.write(writeAnswer(decided));
    await visit.late.each(lateOf(decided), (settled) => lines.write(settled));
    lines.end();
  } finally {
    lines.stopBeating();
  }
}

/** A response that is written line by line, with heartbeats in between. */
class DataLines {
  readonly #visit: Visit;
  #sink: Sink | undefined;
  #beating: NodeJS.Timeout | undefined;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  get hasBegun(): boolean {
    return this.#sink !== undefined;
  }

  /** Sends head and preamble, unless they have already been sent. */
  begin(status: number): void {
    if (this.#sink) return;
    const { exchange } = this.#visit;
    this.#sink = beginStream(exchange, { status, headers: headersOf(this.#visit) });
    this.write(preambleOf(this.#visit));
    this.#beating = setInterval(() => this.write(""), this.#visit.site.limits.heartbeatMs);
    exchange.response.once("close", () => this.stopBeating());
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

function sendInOnePiece(visit: Visit, status: number, line: string): MaybePromise<void> {
  const body = `${preambleOf(visit)}\n${line}\n${endLine}\n`;
  return send(visit.exchange, { status, headers: headersOf(visit), body });
}

function writeAnswer(decided: Decision): string {
  if (decided.kind === "view") return writeView(decided.view, decided.written);
  return JSON.stringify({ kind: "redirect", status: decided.status, to: decided.to } satisfies AnswerLine);
}

/** Writes a view as a response line, which the document also contains for hydration. */
export function writeView(view: View, written: Written): string {
  const params = view.params === noParams ? "{}" : JSON.stringify(view.params);
  const form = written.form === undefined ? "" : `,"form":${written.form}`;
  return `{"kind":"${view.kind}","status":${view.status},"params":${params}${writeProblem(view)}${form},"data":${writeList(written.data)}}`;
}

function writeProblem(view: View): string {
  if (view.kind === "page") return "";
  const folders = view.route < 0 ? `,"folders":${JSON.stringify(view.folders)}` : "";
  const digest = view.kind === "error" && view.digest !== undefined ? `,"digest":${JSON.stringify(view.digest)}` : "";
  return `,"boundary":${view.boundary}${folders}${digest}`;
}

/** Like `writeTagged` for a list: one that begins like a tag gets a tag of its own. */
function writeList(values: Written["data"]): string {
  const list = `[${values.map((one) => one.text).join()}]`;
  return list.startsWith('["~') ? `["~a",${list}]` : list;
}

/** Numbers of the promises whose values follow. */
export function lateOf(decision: Decision): readonly number[] {
  if (decision.kind !== "view") return none;
  const { data } = decision.written;
  return data.every(({ late }) => late.length === 0) ? none : data.flatMap(({ late }) => late);
}

const none: readonly number[] = [];

/** `tag` is empty if the response may be cached for other visitors. */
export function preambleOf(visit: Visit, tag: string = visit.tag): string {
  if (tag !== "") return writePreamble(visit, tag);
  let preamble = preambles.get(visit.route);
  if (preamble === undefined) {
    preamble = writePreamble(visit, "");
    preambles.set(visit.route, preamble);
  }
  return preamble;
}

/** Without a session the preamble is the same for everyone, so it is written once. */
const preambles = new WeakMap<LoadedRoute, string>();

function writePreamble({ route, site }: Visit, tag: string): string {
  return JSON.stringify({
    build: site.application.parts.build,
    route: route.pattern,
    fresh: route.freshMs ?? browserLimits.prefetchFreshMs,
    expires: route.expiresMs ?? browserLimits.prefetchExpiresMs,
    tag,
  } satisfies Preamble);
}

function statusOf(decided: Decision): number {
  // Never a 3xx: a redirect is sent as data, so that the browser's fetch does not follow it.
  return decided.kind === "redirect" ? 200 : decided.view.status;
}

const dataHeaders = [...constantHeaders, "Content-Type", pageDataType, ...noStore];

function headersOf(visit: Visit): string[] {
  return withCookies(dataHeaders.slice(), visit.request.cookiesToSend());
}
