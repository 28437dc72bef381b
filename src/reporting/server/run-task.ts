import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import type { ErrorPlace, Receipt } from "#signals";
import { reportTrace } from "../trace/report-trace.ts";
import { TraceSegment } from "../trace/trace.ts";
import type { Outbox } from "./outbox/outbox.ts";
import { newTraceContext, type RequestTraceContext, requestScope } from "./request-context.ts";
import type { TraceDeps } from "./trace-request.ts";

/** A scheduled task, as its monitor knows it. */
export interface TaskFacts {
  readonly name: string;
  readonly crontab: string;
  readonly timeZone: string | undefined;
  readonly maxMinutes: number | undefined;
}

export type TaskEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly error: unknown; readonly receipt: Receipt };

export interface TaskDeps extends TraceDeps {
  readonly outbox: Outbox;
  errorCaught(error: unknown, place: ErrorPlace): Receipt;
}

/** Runs a task inside its own trace, reports its failure, and checks in at its start and end. Never rejects. */
export async function runTask(facts: TaskFacts, run: () => Promise<void>, deps: TaskDeps): Promise<TaskEnd> {
  const startMs = deps.now();
  const task = openTask(facts, startMs, deps);
  const checkIn = { check_in_id: newEventId(), monitor_slug: facts.name };
  sendCheckIn({ ...checkIn, status: "in_progress", monitor_config: configOf(facts) }, task, deps);
  const end = await requestScope.run({ request: task, span: undefined }, () => ended(run, deps));
  const duration = (deps.now() - startMs) / 1_000;
  sendCheckIn({ ...checkIn, status: end.kind === "ended" ? "ok" : "error", duration }, task, deps);
  sendTrace(task, end, deps);
  return end;
}

async function ended(run: () => Promise<void>, deps: TaskDeps): Promise<TaskEnd> {
  try {
    await run();
    return { kind: "ended" };
  } catch (error) {
    const receipt = deps.errorCaught(error, { side: "server", during: "schedule" });
    if (receipt.kind === "recorded") await receipt.durable;
    return { kind: "failed", error, receipt };
  }
}

function openTask({ name }: TaskFacts, startMs: number, deps: TaskDeps): RequestTraceContext {
  const facts = { method: "SCHEDULE", target: name, header: () => undefined };
  const { sampled, rate } = deps.sampling(undefined, facts, name, startMs);
  const segment = new TraceSegment(
    { parent: undefined, sampled, sampleRate: rate, op: "task.schedule", name, startMs },
    deps.limits.spans,
  );
  segment.nameSource = "task";
  return newTraceContext("task", facts, segment, deps.limits.steps);
}

function configOf({ crontab, timeZone = "UTC", maxMinutes }: TaskFacts): object {
  return {
    schedule: { type: "crontab", value: crontab },
    timezone: timeZone,
    ...(maxMinutes !== undefined && { max_runtime: maxMinutes }),
  };
}

function sendCheckIn(checkIn: object, { segment }: RequestTraceContext, { identity, outbox }: TaskDeps): void {
  const whole = {
    ...checkIn,
    release: identity.release,
    environment: identity.environment,
    contexts: { trace: { trace_id: segment.traceId } },
  };
  outbox.keep("errors", "monitor", writeEnvelope({ sdk: identity.sdk }, [jsonItem("check_in", whole)]));
}

function sendTrace({ segment }: RequestTraceContext, end: TaskEnd, deps: TaskDeps): void {
  if (!segment.sampled) return;
  segment.root.status = end.kind === "ended" ? "ok" : "internal_error";
  try {
    deps.send(reportTrace(segment, { endMs: deps.now() }, deps.identity));
  } catch {
    // For example an attribute that JSON cannot represent. Only the trace is missing, and counted.
    deps.losses.add("internal_sdk_error", "transaction");
  }
}
