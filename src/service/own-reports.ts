import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import type { IngestDeps } from "./accept/delivery.ts";

/** Interval of the reports about dropped items. */
const dropReportMs = 10_000;
/** At most one report per fault in this time. More could loop, if filing a fault causes a fault. */
const sameFaultMs = 60_000;

/**
 * Reports of the service about itself: dropped items as a client report, its own faults as events of its first project.
 * Both are appended to the journal directly, without quotas and without being counted themselves.
 */
export class OwnReports {
  readonly #deps: IngestDeps;
  readonly #timer: NodeJS.Timeout;
  readonly #lastFaults = new Map<string, number>();
  faults = 0;

  constructor(deps: IngestDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#reportDrops(), dropReportMs);
    this.#timer.unref();
  }

  fault(error: Error): void {
    this.faults += 1;
    const { journal, projects, clock } = this.#deps;
    const project = projects.all[0]?.id;
    const last = this.#lastFaults.get(error.message);
    if (project === undefined || (last !== undefined && clock.elapsed() - last < sameFaultMs)) return;
    // Bounds the memory for messages with variable parts.
    if (this.#lastFaults.size > 100) this.#lastFaults.clear();
    this.#lastFaults.set(error.message, clock.elapsed());
    void journal.append({ project, receivedMs: clock.now(), bytes: faultEnvelope(error, clock.now()) });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reportDrops();
  }

  async #reportDrops(): Promise<void> {
    const { journal, counters, clock } = this.#deps;
    for (const { project, discarded } of counters.takeReports()) {
      const report = jsonItem("client_report", { timestamp: clock.now() / 1000, discarded_events: discarded });
      await journal.append({ project, receivedMs: clock.now(), bytes: writeEnvelope({}, [report]) });
    }
  }
}

function faultEnvelope(error: Error, now: number): Uint8Array {
  const eventId = newEventId();
  const event = {
    event_id: eventId,
    timestamp: now / 1000,
    level: "error",
    platform: "node",
    logger: "holdfast.service",
    exception: {
      values: [{ type: error.name, value: error.message, mechanism: { type: "holdfast.service", handled: true } }],
    },
    extra: { stack: error.stack },
  };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}
