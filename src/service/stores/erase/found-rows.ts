import { type ErasablePage, type ErasureCounts, nothingErased } from "./erasure.ts";

/** What a search for erasable rows has found so far. */
export class FoundRows {
  readonly ids: number[] = [];
  readonly eventIds: string[] = [];
  readonly #traces = new Set<string>();
  readonly #visitors = new Set<number>();
  readonly #mentions = new Set<number>();
  counts: ErasureCounts = nothingErased;

  link({ traces = [], visitors = [], mentions = [] }: Partial<ErasablePage["linked"]>): void {
    for (const trace of traces) this.#traces.add(trace);
    for (const visitor of visitors) this.#visitors.add(visitor);
    for (const mention of mentions) this.#mentions.add(mention);
  }

  page(next: number | undefined): ErasablePage {
    const linked = { traces: [...this.#traces], visitors: [...this.#visitors], mentions: [...this.#mentions] };
    return { ids: this.ids, next, eventIds: this.eventIds, linked, counts: this.counts };
  }
}
