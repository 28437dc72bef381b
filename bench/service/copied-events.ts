import type { FiledEvent, FiledItem, FiledSpans } from "../../src/service/stores/filed.ts";

/** Copies of parsed items, spread evenly over `days` up to `until`. Each has its own ids, time, release and visitor. */
export class CopySource {
  readonly #templates: readonly (FiledEvent | FiledSpans)[];
  readonly #from: number;
  readonly #stepMs: number;
  #made = 0;

  constructor(templates: readonly FiledItem[], { total, days, until }: { total: number; days: number; until: number }) {
    this.#templates = templates.filter((item) => item.kind === "event" || item.kind === "spans");
    this.#from = until - days * 86_400_000;
    this.#stepMs = (days * 86_400_000) / total;
  }

  next(rowId: number): FiledItem {
    const at = Math.floor(this.#from + this.#made * this.#stepMs);
    const template = this.#templates[this.#made % this.#templates.length];
    this.#made += 1;
    if (template === undefined) throw new Error("There is no template.");
    const release = `shop@1.${Math.min(19, Math.floor((at - this.#from) / 86_400_000 / 5))}.0`;
    const traceId = hex(32);
    const visitor = 1_000_000 + Math.floor(Math.random() * 50_000);
    const row = { ...template, rowId, receivedAt: at, at, traceId };
    if (row.kind === "event") return { ...row, eventId: hex(32), release, visitor, aliases: [] };
    const segments = row.segments.map((segment) => ({ ...segment, spanId: hex(16), at, release, visitor }));
    const measures = row.measures.map(({ route, measure, value }) => ({ route, measure, value, at, release }));
    return { ...row, key: rowId, segments, measures, counts: row.counts.map((count) => ({ ...count, at })) };
  }
}

function hex(length: number): string {
  let text = "";
  while (text.length < length)
    text += Math.floor(Math.random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0");
  return text.slice(0, length);
}
