import type { Category } from "#protocol";

/** Counts the fate of every envelope and item. `/metrics` and the console's loss figures read it. */
export class AcceptCounters {
  readonly answers: Map<string, number> = new Map();
  readonly acceptedItems: Map<string, number> = new Map();
  readonly droppedItems: Map<string, number> = new Map();
  acceptedEnvelopes = 0;
  acceptedBytes = 0;
  #unreported = new Map<number, Map<string, number>>();

  countAnswer(kind: string): void {
    add(this.answers, kind, 1);
  }

  countEnvelope(bytes: number): void {
    this.acceptedEnvelopes += 1;
    this.acceptedBytes += bytes;
  }

  countItem(type: string): void {
    add(this.acceptedItems, type, 1);
  }

  countDropped(project: number, category: Category, reason: DropReason): void {
    add(this.droppedItems, reason, 1);
    const ofProject = this.#unreported.get(project) ?? new Map<string, number>();
    add(ofProject, `${reason} ${category}`, 1);
    this.#unreported.set(project, ofProject);
  }

  /** Returns the drops since the last call, in the form of a client report. */
  takeReports(): readonly {
    project: number;
    discarded: readonly { reason: string; category: string; quantity: number }[];
  }[] {
    const reports = [...this.#unreported].map(([project, drops]) => ({
      project,
      discarded: [...drops].map(([key, quantity]) => {
        const [reason = "", category = ""] = key.split(" ");
        return { reason, category, quantity };
      }),
    }));
    this.#unreported = new Map();
    return reports;
  }
}

/** Why an item of a readable envelope was not kept. */
export type DropReason =
  | "unknown-type"
  | "too-large"
  | "not-kept"
  | "unreadable"
  | "quota"
  /** Over the limit that an owner has set for the key, or for the project. */
  | "key-quota"
  | "project-quota"
  /** By a filter of the project. */
  | "filtered"
  /** One of many equal errors, while far more arrived than usual. */
  | "spike"
  | "pressure"
  /** A file whose event is not kept. */
  | "without-event";

function add<Key>(counts: Map<Key, number>, key: Key, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}
