import type { ServerResponse } from "node:http";
import { constantHeaders } from "../constant-headers.ts";
import { browserLimits } from "../limits.ts";
import { type Answer, type Preamble, pageDataType } from "../page-data.ts";
import { writeTagged } from "../tagged-json.ts";
import type { View } from "../view.ts";
import type { Decision, Visit } from "./decide-page.ts";
import { LateValues } from "./late-values.ts";

import { beginStream, type Sink, sendWhole } from "./send.ts";

/** Sends a decision as page data: in one piece when it comes quickly, else a preamble at once and signs of life until it is there. */
export async function sendPageData(visit: Visit, response: ServerResponse, decision: Promise<Decision>): Promise<void> {
  const { preambleMs, heartbeatMs } = visit.site.limits;
  let sink: Sink | undefined;
  let beating: NodeJS.Timeout | undefined;
  const hurry = setTimeout(() => {
    sink = beginStream(response, visit.request.incoming, 200, headersOf(visit));
    sink.write(`${JSON.stringify(preambleOf(visit))}\n`);
    sink.flush();
    beating = setInterval(() => {
      sink?.write("\n");
      sink?.flush();
    }, heartbeatMs);
  }, preambleMs);
  try {
    const decided = await decision;
    clearTimeout(hurry);
    const late = new LateValues(visit);
    const line = writeAnswer(visit, decided, late);
    await visit.errors.durable;
    if (!sink && late.isEmpty) {
      return await sendWhole(
        response,
        visit.request.incoming,
        statusOf(decided),
        headersOf(visit),
        `${JSON.stringify(preambleOf(visit))}\n${line}\n{"kind":"end"}\n`,
      );
    }
    sink = await stream(visit, response, sink, statusOf(decided), line, late);
    sink.write('{"kind":"end"}\n');
    sink.end();
  } finally {
    clearTimeout(hurry);
    clearInterval(beating);
  }
}

async function stream(
  visit: Visit,
  response: ServerResponse,
  begun: Sink | undefined,
  status: number,
  line: string,
  late: LateValues,
): Promise<Sink> {
  let sink = begun;
  if (!sink) {
    sink = beginStream(response, visit.request.incoming, status, headersOf(visit));
    sink.write(`${JSON.stringify(preambleOf(visit))}\n`);
  }
  sink.write(`${line}\n`);
  sink.flush();
  const out = sink;
  await late.each(async (settled) => {
    out.write(`${settled}\n`);
    out.flush();
  });
  return sink;
}

/** The answer line. What cannot be sent becomes the error page, with the path of the value in the report. */
function writeAnswer(visit: Visit, decided: Decision, late: LateValues): string {
  if (decided.kind === "redirect")
    return JSON.stringify({ kind: "redirect", status: decided.status, to: decided.to } satisfies Answer);
  try {
    return writeView(visit, decided.view, late);
  } catch (thrown) {
    const { route, params, folders } = decided.view;
    const digest = visit.errors.record(thrown, "load");
    return writeView(
      visit,
      { kind: "error", status: 500, side: "server", route, params, folders, data: [], boundary: -1, digest },
      late,
    );
  }
}

/** A view as the line that carries it, also inside a document for hydration. */
export function writeView(visit: Visit, view: View, late: LateValues): string {
  const { limits } = visit.site;
  const data = writeTagged(view.data, limits, late.keep);
  const rest: Record<string, unknown> = { kind: view.kind, status: view.status, params: view.params };
  if (view.kind !== "page") {
    rest.boundary = view.boundary;
    if (view.route < 0) rest.folders = view.folders;
  }
  if (view.kind === "error" && view.digest !== undefined) rest.digest = view.digest;
  const form = view.kind === "page" && view.form ? `,"form":${writeTagged(view.form, limits)}` : "";
  return `${JSON.stringify(rest).slice(0, -1)}${form},"data":${data}}`;
}

export function preambleOf(visit: Visit): Preamble {
  const { route, site } = visit;
  return {
    build: site.application.parts.build,
    route: route.id,
    fresh: route.freshMs ?? browserLimits.prefetchFreshMs,
    expires: route.expiresMs ?? browserLimits.prefetchExpiresMs,
    tag: visit.request.sessionTag(),
  };
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
