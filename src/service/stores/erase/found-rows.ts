import { linesOf } from "../values/log-lines.ts";
import { type ErasablePage, type ErasureCounts, nothingErased } from "./erasure.ts";
import type { ErasureMatcher } from "./matcher.ts";

/** What a search for erasable rows has found so far. */
export class FoundRows {
  readonly ids: number[] = [];
  readonly eventIds: string[] = [];
  readonly #eventsOfGroups = new Map<number, number>();
  readonly #traces = new Set<string>();
  readonly #visitors = new Set<number>();
  readonly #mentions = new Set<number>();
  counts: ErasureCounts = nothingErased;

  link({ traces = [], visitors = [], mentions = [] }: Partial<ErasablePage["linked"]>): void {
    for (const trace of traces) this.#traces.add(trace);
    for (const visitor of visitors) this.#visitors.add(visitor);
    for (const mention of mentions) this.#mentions.add(mention);
  }

  addEvent({ id, group, eventId }: { id: number; group: number; eventId: string }): void {
    this.ids.push(id);
    this.eventIds.push(eventId);
    this.#eventsOfGroups.set(group, (this.#eventsOfGroups.get(group) ?? 0) + 1);
  }

  /** Adds blocks that have a line to erase. The other lines of a block stay. */
  addLogBlocks(blocks: readonly { id: number; packed: Uint8Array }[], matcher: ErasureMatcher): void {
    let logLines = 0;
    for (const { id, packed } of blocks) {
      const matched = linesOf(packed).filter((line) => matcher.line(line)).length;
      if (matched > 0) this.ids.push(id);
      logLines += matched;
    }
    this.counts = { ...nothingErased, logLines };
  }

  page(next: number | undefined): ErasablePage {
    const linked = { traces: [...this.#traces], visitors: [...this.#visitors], mentions: [...this.#mentions] };
    const { ids, eventIds, counts } = this;
    return { ids, next, eventIds, eventsOfGroups: this.#eventsOfGroups, linked, counts };
  }
}
