import type { AcceptCounters } from "./accept/counters.ts";
import type { JournalStats, Pressure } from "./journal/journal-stats.ts";
import type { StoreProblem } from "./stores/store-health.ts";
import type { FilingProgress } from "./thread/messages.ts";

export interface ServiceMetrics {
  readonly counters: AcceptCounters;
  readonly journal: JournalStats;
  readonly pressure: Pressure;
  readonly filing: FilingTotals;
  readonly unfiledBytes: number;
  /** 0 while the store can be written. */
  readonly storeAwayMs: number;
  /** Since the start. */
  readonly storeProblems: Readonly<Record<StoreProblem, number>>;
  /** Records that could not be filed. They are stored in the folder `unfiled`. */
  readonly quarantined: number;
  readonly faults: number;
  /** Bytes held by the bodies of current requests. */
  readonly bodyBytes: number;
  readonly decoders: { readonly running: number; readonly waiting: number };
  /** By resource. */
  readonly refused: ReadonlyMap<string, number>;
}

/** Totals of filing since the start. */
export type FilingTotals = Omit<FilingProgress, "releasable">;

/** Writes the figures in the Prometheus text format. */
export function writeMetrics(metrics: ServiceMetrics): string {
  const { counters, journal, pressure, filing, quarantined, faults } = metrics;
  const memory = process.memoryUsage();
  return [
    family("holdfast_answers_total", "counter", "Deliveries by how they ended.", labelled("outcome", counters.answers)),
    family("holdfast_envelopes_kept_total", "counter", "Envelopes written to the journal.", [
      ["", counters.acceptedEnvelopes],
    ]),
    family("holdfast_kept_bytes_total", "counter", "Bytes of envelopes written to the journal.", [
      ["", counters.acceptedBytes],
    ]),
    family("holdfast_items_kept_total", "counter", "Items kept, by type.", labelled("type", counters.acceptedItems)),
    family(
      "holdfast_items_dropped_total",
      "counter",
      "Items left out, by reason.",
      labelled("reason", counters.droppedItems),
    ),
    family(
      "holdfast_journal_backlog_bytes",
      "gauge",
      "Bytes the journal still has to keep: not yet filed, or filed and not yet in their files for good.",
      [["", journal.backlogBytes]],
    ),
    family("holdfast_unfiled_bytes", "gauge", "Bytes of the journal that are not in the store yet.", [
      ["", metrics.unfiledBytes],
    ]),
    family(
      "holdfast_acknowledged_total",
      "counter",
      "Envelopes acknowledged, by what kept them then: a commit of the database, or the journal on this disk.",
      labelled("by", new Map(Object.entries(journal.acknowledged))),
    ),
    family("holdfast_bridging", "gauge", "1 while the journal acknowledges in place of the database.", [
      ["", Number(journal.isBridging)],
    ]),
    family("holdfast_store_away_seconds", "gauge", "How long the store cannot be written already, or 0.", [
      ["", metrics.storeAwayMs / 1_000],
    ]),
    family(
      "holdfast_store_problems_total",
      "counter",
      "What kept the store from being written or read, by kind. Each was tried again.",
      labelled("kind", new Map(Object.entries(metrics.storeProblems))),
    ),
    family("holdfast_journal_records_total", "counter", "Records appended.", [["", journal.appendedRecords]]),
    family("holdfast_journal_syncs_total", "counter", "Groups made durable.", [["", journal.syncs]]),
    family("holdfast_journal_failures_total", "counter", "Groups that could not be written.", [["", journal.failures]]),
    family("holdfast_journal_cut_bytes", "gauge", "Half-written bytes found and cut off at the start.", [
      ["", journal.cutBytes],
    ]),
    family("holdfast_journal_pressure", "gauge", "1 for the stage of back-pressure that holds.", [
      [`{stage="${pressure}"}`, 1],
    ]),
    family("holdfast_filed_records_total", "counter", "Records filed.", [["", filing.records]]),
    family("holdfast_filed_events_total", "counter", "Events filed.", [["", filing.events]]),
    family("holdfast_filed_duplicates_total", "counter", "Events that had been filed before.", [
      ["", filing.duplicates],
    ]),
    family(
      "holdfast_put_aside_total",
      "counter",
      "Records that could not be understood and lie in the folder unfiled.",
      [["", quarantined]],
    ),
    family("holdfast_journal_damaged_bytes_total", "counter", "Bytes of the journal that were damaged on the disk.", [
      ["", filing.damagedBytes],
    ]),
    family("holdfast_filed_position", "gauge", "Position of the journal before which all is filed.", [
      ["", filing.applied],
    ]),
    family("holdfast_journal_end", "gauge", "Position of the journal's end.", [["", journal.readableEnd]]),
    family("holdfast_own_faults_total", "counter", "Faults of the service itself.", [["", faults]]),
    family("holdfast_bodies_held_bytes", "gauge", "Bytes that the bodies of requests under way hold.", [
      ["", metrics.bodyBytes],
    ]),
    family("holdfast_decoders", "gauge", "Packed bodies that are being unpacked, or wait for it.", [
      [`{state="running"}`, metrics.decoders.running],
      [`{state="waiting"}`, metrics.decoders.waiting],
    ]),
    family(
      "holdfast_refused_total",
      "counter",
      "What was refused because something that all clients share was used up, by resource.",
      labelled("resource", metrics.refused),
    ),
    family("holdfast_resident_memory_bytes", "gauge", "Memory of the process.", [["", memory.rss]]),
  ].join("");
}

type Sample = readonly [labels: string, value: number];

function family(name: string, type: "counter" | "gauge", help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelled(label: string, values: ReadonlyMap<string, number>): readonly Sample[] {
  return [...values].map(([key, value]) => [`{${label}="${key.replace(/["\\\n]/g, "_")}"}`, value]);
}
