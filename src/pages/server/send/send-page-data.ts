import { beginStream, noStore, type Sink, send, sendEncoded, withCookies } from "#http";
import { noParams } from "#routes";
import { browserLimits } from "../../limits.ts";
import { type AnswerLine, type Preamble, pageDataType } from "../../page-data.ts";
import type { PageKeeps, View } from "../../view.ts";
import type { SharedDecision } from "../cache/shared-page.ts";
import type { Decision, Written } from "../decision.ts";
import { dependsOf } from "../depends.ts";
import { writeHtmlAttributes } from "../html-attributes.ts";
import { leaveWith, type Parting } from "../leave.ts";
import type { LoadedRoute } from "../load-route.ts";
import { chain, type MaybePromise } from "../maybe-promise.ts";
import type { Visit } from "../visit.ts";
import { documentPolicyOf } from "./document-policy.ts";
import { cacheTiming } from "./server-timing.ts";

/** What a request for a page is answered with. */
type PageDecision = Decision | SharedDecision;

/**
 * Sends a decision as page data: in one piece if it is ready soon, otherwise the preamble after `preambleMs` and then
 * heartbeats until it is ready.
 */
export function sendPageData(visit: Visit, decision: MaybePromise<PageDecision>): MaybePromise<void> {
  if (decision instanceof Promise) return sendWhenThere(visit, decision);
  if (decision.kind === "shared") return sendSharedData(visit, decision);
  const isThere = !visit.durable && lateOf(decision).length === 0;
  if (isThere) return sendInOnePiece(visit, partingOfDecision(decision), writeAnswer(visit, decision));
  return sendWhenThere(visit, decision);
}

/** A page for all visitors. Only its preamble may belong to this one. */
function sendSharedData(visit: Visit, { page }: SharedDecision): MaybePromise<void> {
  visit.request.sealResponse();
  return chain(leaveWith(visit, { kind: "data", ...ofShared }), (status) => {
    const headers = dataHeaders(visit);
    if (visit.tag === "") return sendEncoded(visit.exchange, { status, headers, body: page.data });
    return send(visit.exchange, { status, headers, body: `${preambleOf(visit)}\n${page.lines}` });
  });
}

const ofShared: DataParting = { status: 200, replaceable: "any" };

async function sendWhenThere(visit: Visit, decision: MaybePromise<PageDecision>): Promise<void> {
  const lines = new DataLines(visit);
  const hurry = setTimeout(() => lines.beginEarly(), visit.site.limits.preambleMs);
  try {
    const decided = await decision;
    clearTimeout(hurry);
    await visit.durable;
    if (decided.kind === "shared") {
      if (!lines.hasBegun) return await sendSharedData(visit, decided);
      await lines.begin(ofShared);
      return lines.finish(decided.page.lines);
    }
    const line = writeAnswer(visit, decided);
    const late = lateOf(decided);
    if (!lines.hasBegun && late.length === 0) return await sendInOnePiece(visit, partingOfDecision(decided), line);
    await lines.begin(partingOfDecision(decided));
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
  // A visitor whose action has run must learn it.
  const parting: DataParting = { status, replaceable: "none", isSentAnyway: true };
  if (!page) {
    visit.request.sealResponse();
    return sendInOnePiece(visit, parting, line);
  }
  const lines = new DataLines(visit);
  try {
    await lines.begin(parting);
    lines.write(line);
    const decided = await page();
    await visit.durable;
    lines.write(writeAnswer(visit, decided));
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
  #begun: { done: MaybePromise<void> } | undefined;
  #beating: NodeJS.Timeout | undefined;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  get hasBegun(): boolean {
    return this.#begun !== undefined;
  }

  /** Sends head and preamble, unless that has already begun. */
  begin(parting: DataParting): MaybePromise<void> {
    this.#begun ??= { done: chain(leaveWith(this.#visit, { kind: "data", ...parting }), (one) => this.#open(one)) };
    return this.#begun.done;
  }

  /** Before the page is decided. If a response hook fails, the next `begin` says so. */
  beginEarly(): void {
    const done = this.begin({ status: 200, replaceable: "none" });
    if (done instanceof Promise) done.catch(() => undefined);
  }

  #open(status: number): void {
    const { exchange } = this.#visit;
    this.#sink = beginStream(exchange, { status, headers: dataHeaders(this.#visit) });
    this.write(preambleOf(this.#visit));
    this.#beating = setInterval(() => this.write(""), this.#visit.site.limits.heartbeatMs);
    exchange.response.once("close", () => this.stopBeating());
  }

  write(line: string): void {
    this.#sink?.write(`${line}\n`);
    this.#sink?.flush();
  }

  end(): void {
    this.finish(`${endLine}\n`);
  }

  /** Writes the last lines. */
  finish(text: string): void {
    this.#sink?.write(text);
    this.#sink?.flush();
    this.#sink?.end();
  }

  stopBeating(): void {
    clearInterval(this.#beating);
  }
}

export const endLine = '{"kind":"end"}';

function sendInOnePiece(visit: Visit, parting: DataParting, line: string): MaybePromise<void> {
  return chain(leaveWith(visit, { kind: "data", ...parting }), (status) => {
    const body = `${preambleOf(visit)}\n${line}\n${endLine}\n`;
    return send(visit.exchange, { status, headers: dataHeaders(visit), body });
  });
}

type DataParting = Omit<Parting, "kind" | "original">;

function partingOfDecision(decided: Decision): DataParting {
  // Never a 3xx: a redirect is sent as data, so that the browser's fetch does not follow it.
  return decided.kind === "redirect" ? { status: 200, replaceable: "none" } : partingOf(decided.view);
}

/** The status of a page or refusal may be replaced, that of a failure not. */
export function partingOf(view: View): DataParting {
  const { status } = view;
  if (view.kind === "page") return { status, replaceable: view.form?.outcome.kind === "failed" ? "none" : "any" };
  const isFailure = view.kind === "error" && view.digest !== undefined;
  return { status, replaceable: isFailure || status >= 500 ? "none" : "refusal", isSentAnyway: isFailure };
}

/** No page data, so that the browser loads the document. */
export function sendNoPageData(visit: Visit): MaybePromise<void> {
  return chain(leaveWith(visit, { kind: "data", status: 200, replaceable: "none" }), (status) => {
    const headers = [...visit.baseHeaders(), "Content-Type", "text/plain; charset=utf-8", ...noStore];
    withCookies(headers, visit.request.cookiesToSend());
    return send(visit.exchange, { status, headers, body: "This address has no page data.\n" });
  });
}

function writeAnswer(visit: Visit, decided: Decision): string {
  visit.request.sealResponse();
  if (decided.kind === "view") return writeView(visit, decided.view, decided.written);
  return JSON.stringify({ kind: "redirect", status: decided.status, to: decided.to } satisfies AnswerLine);
}

/** Writes a view as a response line, which the document also contains for hydration. */
export function writeView(visit: Visit, view: View, written: Written, isForEveryone = false): string {
  const params = view.params === noParams ? "{}" : JSON.stringify(view.params);
  const form = written.form === undefined ? "" : `,"form":${written.form}`;
  const policy = documentPolicyOf(visit.baseHeaders());
  const html = view.html ? `,"html":${writeHtmlAttributes(view.html)}` : "";
  const keeps = view.kind === "page" ? writeKeeps(visit, isForEveryone) + writeDepends(visit) : "";
  const keys = view.kind === "page" && !isForEveryone ? writeKeys(written) : "";
  const own = html + form + keeps + keys + writeSame(written) + (policy && `,"policy":"${policy}"`);
  // The browser reads them one by one, so a list that begins like a tag is not taken for one.
  const data = written.data.map((one) => one.text).join();
  return `{"kind":"${view.kind}","status":${view.status},"params":${params}${writeProblem(view)}${own},"data":[${data}]}`;
}

function writeKeeps(visit: Visit, isForEveryone: boolean): string {
  const { actions } = visit.route;
  const hours = visit.site.limits.resendHours;
  // Most pages have no action, and few actions keep what they get.
  const names =
    actions.size === 0 || hours === 0 ? none : [...actions.keys()].filter((name) => actions.get(name)?.keeps);
  if (names.length === 0) return "";
  const visitor = isForEveryone ? undefined : visit.stampForLater();
  return `,"keeps":${JSON.stringify({ actions: names, ...(visitor && { visitor }), hours } satisfies PageKeeps)}`;
}

function writeDepends(visit: Visit): string {
  const depends = dependsOf(visit);
  return depends ? `,"depends":${JSON.stringify(depends)}` : "";
}

/** Most pages have no load with tags. */
function writeKeys({ data }: Written): string {
  const last = data.findLastIndex(({ key }) => key);
  return last < 0 ? "" : `,"keys":${JSON.stringify(data.slice(0, last + 1).map(({ key }) => key ?? null))}`;
}

function writeSame({ data }: Written): string {
  const same = data.flatMap(({ isSame }, index) => (isSame ? [index] : none));
  return same.length === 0 ? "" : `,"same":${JSON.stringify(same)}`;
}

function writeProblem(view: View): string {
  if (view.kind === "page") return "";
  const folders = view.route < 0 ? `,"folders":${JSON.stringify(view.folders)}` : "";
  const digest = view.kind === "error" && view.digest !== undefined ? `,"digest":${JSON.stringify(view.digest)}` : "";
  return `,"boundary":${view.boundary}${folders}${digest}`;
}

/** Numbers of the promises whose values follow. */
export function lateOf(decision: Decision): readonly number[] {
  if (decision.kind !== "view") return none;
  const { data } = decision.written;
  return data.every(({ late }) => late.length === 0) ? none : data.flatMap(({ late }) => late);
}

const none: readonly never[] = [];

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

/** Page data that is the same for every visitor says nothing about their session. */
export function writeDataForEveryone(visit: Visit, decided: Extract<Decision, { kind: "view" }>): string[] {
  return [writePreamble(visit, undefined), writeView(visit, decided.view, decided.written, true)];
}

function writePreamble({ route, site }: Visit, tag: string | undefined): string {
  return JSON.stringify({
    build: site.application.parts.build,
    route: route.pattern,
    fresh: route.freshMs ?? browserLimits.prefetchFreshMs,
    expires: route.expiresMs ?? browserLimits.prefetchExpiresMs,
    ...(tag !== undefined && { tag }),
  } satisfies Preamble);
}

export function dataHeaders(visit: Visit): string[] {
  const headers = [...visit.baseHeaders(), "Content-Type", pageDataType, ...noStore];
  if (visit.cached) headers.push("Server-Timing", cacheTiming(visit.cached, visit.site.development));
  return withCookies(headers, visit.request.cookiesToSend());
}
