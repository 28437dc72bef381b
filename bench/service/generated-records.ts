import { writeEnvelope } from "#protocol";
import type { FilingDeps } from "../../src/service/filing/file-records.ts";
import { Scrubber } from "../../src/service/filing/scrub.ts";
import type { JournalRecord } from "../../src/service/journal/record.ts";
import type { StoreWriter } from "../../src/service/stores/store.ts";
import type { EventSource } from "./generated-events.ts";

/** Generated reports as records of a journal. There is one page load for every five errors. */
export class GeneratedRecords {
  readonly #source: EventSource;
  #made = 0;
  /** Where the next record begins in the journal. */
  position: number;
  /** Bytes of JSON so far. */
  rawBytes = 0;
  /** The time of the last report. */
  at = 0;

  constructor(source: EventSource, position: number) {
    this.#source = source;
    this.position = position;
  }

  next(): JournalRecord {
    const isPageLoad = this.#made % 6 === 5;
    this.#made += 1;
    const { at, eventId, payload } = isPageLoad ? this.#source.nextPageLoad() : this.#source.next();
    this.rawBytes += payload.length;
    this.at = at;
    const item = { header: { type: isPageLoad ? "transaction" : "event" }, payload: Buffer.from(payload) };
    const bytes = writeEnvelope({ eventId }, [item]);
    const { position } = this;
    this.position += 21 + bytes.length;
    return { project: 1, receivedMs: at, bytes, position, next: this.position };
  }
}

/** Files as the service does, and stops at the first fault. */
export function filingInto(store: Pick<StoreWriter, "commit">): FilingDeps {
  return {
    store,
    scrubber: new Scrubber(),
    symbolicate: (_project, event) => ({ event, chunks: [] }),
    onFault: (error) => {
      throw error;
    },
  };
}
