import { type EnvelopeItem, jsonItem, newEventId, newSpanId, newTraceId } from "#protocol";
import type { RunningApp } from "../../kit/index.ts";
import { anError, report, reportErrors } from "./reports.ts";

const hour = 3_600;
const loadsPerHour = 30;

/** Sixteen hours of a route. In the last six it has another release, and takes four times as long. */
export async function fillSlowRoute(app: RunningApp): Promise<void> {
  const now = Date.now() / 1_000;
  const loads = Array.from({ length: 16 * loadsPerHour }, (_, n) => {
    const hoursAgo = 16 - Math.floor(n / loadsPerHour);
    const isSlow = hoursAgo <= 6;
    const took = (isSlow ? 1.2 : 0.3) * (0.5 + (n % loadsPerHour) / loadsPerHour);
    return aLoad(now - hoursAgo * hour + 10, took, isSlow ? "shop@1.4.1" : "shop@1.4.0");
  });
  for (let from = 0; from < loads.length; from += 50) await report(app, loads.slice(from, from + 50));
  const at = (hoursAgo: number) => ({ timestamp: now - hoursAgo * hour, transaction: "/slow" });
  await reportErrors(app, [
    anError({ function: "gone", release: "shop@1.4.0", ...at(12) }),
    anError({ function: "fresh", value: "only in the new one", release: "shop@1.4.1", ...at(5) }),
  ]);
}

function aLoad(start: number, took: number, release: string): EnvelopeItem {
  const [trace_id, span_id] = [newTraceId(), newSpanId()];
  return jsonItem("transaction", {
    event_id: newEventId(),
    type: "transaction",
    transaction: "/slow",
    release,
    start_timestamp: start,
    timestamp: start + took,
    user: { id: "visitor-1" },
    contexts: { trace: { trace_id, span_id, op: "pageload", status: "ok" } },
    spans: [
      {
        trace_id,
        span_id: newSpanId(),
        parent_span_id: span_id,
        op: "db",
        description: "SELECT price",
        start_timestamp: start,
        timestamp: start + took * 0.9,
      },
    ],
  });
}
