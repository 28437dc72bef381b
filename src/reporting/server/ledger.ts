import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { appendFile } from "node:fs/promises";
import path from "node:path";
import {
  type BalanceStatement,
  jsonItem,
  newEventId,
  newSpanId,
  pagesPerStatement,
  type StatedPage,
  type StatedTally,
  writeBalance,
  writeEntry,
  writeEnvelope,
} from "#protocol";
import type { SubmissionFacts, SubmissionSignals } from "#signals";
import type { Deliver } from "../delivery.ts";
import type { LedgerLimits } from "./ledger-limits.ts";
import { isAlive, processName } from "./outbox/outbox-folder.ts";
import { type LedgerLine, readLedger } from "./read-ledger.ts";
import { Tallies } from "./tallies.ts";

export interface ServerLedgerOptions {
  folder: string;
  /** Past the outbox, so that what happens to an event cannot happen to its entry. */
  deliver: Deliver | undefined;
  limits: LedgerLimits;
  /** Since when the outbox holds an error report. */
  waitingSince: () => number | undefined;
  now: () => number;
}

/**
 * The books of this process: each error page that visitors were sent, each submission that was taken, and what
 * browsers say of their navigations. An entry is in a file before its page is sent or its action runs, and stays there
 * until the service has it. The next process takes over the file of one that was killed, and says which submissions
 * were lost with it.
 */
export class ServerLedger {
  readonly #options: ServerLedgerOptions;
  readonly #file: string;
  readonly #source = newEventId();
  readonly #pages = new Map<string, StatedPage>();
  readonly #tallies = new Tallies();
  /** Of processes that have ended, by their source, until the service has them. */
  readonly #inherited = new Map<string, Tallies>();
  readonly #timer: NodeJS.Timeout;
  /** Of the file, open for the lines of submissions. */
  #descriptor: number | undefined;
  #saidWaitingMs = 0;
  #saidCountsMs: number;
  #delivering: Promise<void> | undefined;

  constructor(options: ServerLedgerOptions) {
    this.#options = options;
    this.#file = path.join(options.folder, `${processName()}.ledger`);
    this.#saidCountsMs = options.now();
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#takeOver();
    this.#timer = setInterval(() => void this.deliver(), options.limits.everyMs).unref();
  }

  /** Resolves when the entries survive the end of the process. Never rejects: a page matters more than its entry. */
  async add(pages: readonly StatedPage[]): Promise<void> {
    const fitting = pages.slice(0, Math.max(0, this.#options.limits.pages - this.#pages.size));
    for (const page of fitting) this.#pages.set(page.digest, { ...this.#pages.get(page.digest), ...page });
    try {
      if (fitting.length > 0) await appendFile(this.#file, fitting.map(lineOfPage).join(""), { mode: 0o600 });
    } catch {
      // The disk is full or fails. The entries are delivered from memory.
    }
  }

  /** The entry survives the end of the process when this returns. */
  take({ route, action, key }: SubmissionFacts): SubmissionSignals {
    const { limits, now } = this.#options;
    const entry = { id: newSpanId(), atMs: now(), route, name: action, ...(key !== undefined && { key }) };
    const { id, atMs } = entry;
    if (this.#tallies.openIn("submissions") >= limits.open)
      return once((end) => this.#tallies.count("submissions", atMs, { [end]: 1 }));
    this.#tallies.begin("submissions", entry);
    this.#note({ begun: writeEntry(entry) });
    const signals = once((end) => {
      this.#tallies.end(id, end);
      this.#note({ ended: id, end });
    });
    const kept = (): void => {
      this.#tallies.kept(id);
      this.#note({ kept: id });
    };
    return { ...signals, kept };
  }

  /** Counts navigations of a document: how they ended, and those that did not. A browser says both at once. */
  count({ ends, open }: Pick<StatedTally, "ends" | "open">): void {
    const atMs = this.#options.now();
    this.#tallies.count("navigations", atMs, ends);
    const entered = open.filter((entry) => this.#tallies.lose("navigations", entry, atMs));
    if (entered.length > 0) this.#rewrite();
  }

  /** Delivers what there is to say. The next turn tries again. */
  deliver(): Promise<void> {
    this.#delivering ??= this.#deliverAll().finally(() => {
      this.#delivering = undefined;
    });
    return this.#delivering;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#delivering;
    this.#saidCountsMs = 0;
    await this.deliver();
    if (this.#tallies.isSaid && this.#pages.size + this.#inherited.size === 0) this.#removeFile();
    this.#closeFile();
  }

  async #deliverAll(): Promise<void> {
    if (!(await this.#deliverInherited())) return;
    const { now, waitingSince, limits } = this.#options;
    const settledMs = now() - limits.waitingMs;
    const counts = now() - this.#saidCountsMs >= limits.countsMs ? [...this.#tallies.unsaid(settledMs)] : [];
    if (counts.length > 0) {
      this.#saidCountsMs = now();
      // The service never knows more than the file: the next process adds to what this one has said.
      this.#rewrite();
    }
    for (;;) {
      const pages = [...this.#pages.values()].slice(0, pagesPerStatement);
      const waits = waitingSince() !== undefined || this.#tallies.hasOpen(settledMs);
      const isDue = waits && now() - this.#saidWaitingMs >= limits.waitingMs;
      const tallies = counts.splice(0, 1);
      if (pages.length === 0 && tallies.length === 0 && !isDue) break;
      if (!(await this.#send({ source: this.#source, ...this.#waiting(), pages, tallies }))) return;
      this.#saidWaitingMs = now();
      for (const tally of tallies) this.#tallies.said(tally);
      // An entry may have changed meanwhile.
      for (const page of pages) if (this.#pages.get(page.digest) === page) this.#pages.delete(page.digest);
    }
    this.#tallies.forget(now());
    if (this.#tallies.isEmpty && this.#pages.size === 0) this.#removeFile();
  }

  /** The outbox of those processes is in this one's too. */
  async #deliverInherited(): Promise<boolean> {
    for (const [source, inherited] of this.#inherited) {
      for (const tally of inherited.all())
        if (!(await this.#send({ source, ...this.#waiting(), pages: [], tallies: [tally] }))) return false;
      this.#inherited.delete(source);
    }
    return true;
  }

  #waiting(): Pick<BalanceStatement, "waitingSinceMs"> {
    const waitingSinceMs = this.#options.waitingSince();
    return waitingSinceMs === undefined ? {} : { waitingSinceMs };
  }

  async #send(statement: BalanceStatement): Promise<boolean> {
    const { deliver, now } = this.#options;
    if (deliver === undefined) return false;
    const report = { timestamp: now() / 1000, discarded_events: [], balance: writeBalance(statement) };
    const result = await deliver(writeEnvelope({ sentAtMs: now() }, [jsonItem("client_report", report)]));
    // A refused statement would be refused again.
    return result.kind !== "later";
  }

  /** Written at once: a process that is killed writes nothing later. A line takes some microseconds. */
  #note(line: LedgerLine): void {
    try {
      this.#descriptor ??= openSync(this.#file, "a", 0o600);
      writeSync(this.#descriptor, `${JSON.stringify({ source: this.#source, ...line })}\n`);
    } catch {
      // The disk is full or fails. If the process is killed too, the submission is in no book.
    }
  }

  /** Of two processes that start at once, both may read a file: they say the same of it. */
  #takeOver(): void {
    const files = filesLeft(this.#options.folder, this.#file);
    for (const file of files) {
      const { pages, tallies } = readLedger(textOf(file));
      for (const page of pages) this.#pages.set(page.digest, page);
      for (const [source, inherited] of tallies) {
        inherited.close();
        this.#inherited.set(source, inherited);
      }
    }
    if (files.length > 0 && this.#rewrite())
      for (const file of files) if (file !== this.#file) rmSync(file, { force: true });
  }

  /** Replaces the lines by what they amount to. Returns false if the disk is full or fails. */
  #rewrite(): boolean {
    const counted = [[this.#source, this.#tallies] as const, ...this.#inherited];
    const lines = counted.flatMap(([source, tallies]) =>
      tallies.all().map((tally) => lineOf({ source, pages: [], tallies: [tally] })),
    );
    try {
      const file = `${this.#file}-new`;
      writeFileSync(file, [...[...this.#pages.values()].map(lineOfPage), ...lines].join(""), { mode: 0o600 });
      renameSync(file, this.#file);
      this.#closeFile();
      return true;
    } catch {
      return false;
    }
  }

  #removeFile(): void {
    this.#closeFile();
    rmSync(this.#file, { force: true });
  }

  #closeFile(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

function once(end: (kind: string) => void): SubmissionSignals {
  let hasEnded = false;
  return {
    kept: () => undefined,
    ended: (kind) => {
      if (!hasEnded) end(kind);
      hasEnded = true;
    },
  };
}

function lineOf(statement: BalanceStatement): string {
  return `${JSON.stringify(writeBalance(statement))}\n`;
}

function lineOfPage(page: StatedPage): string {
  return lineOf({ source: "file", pages: [page] });
}

/** Files of processes that have ended. One may have had the name of this process. */
function filesLeft(folder: string, ownFile: string): string[] {
  return readdirSync(folder)
    .map((name) => ({ file: path.join(folder, name), owner: /^(\d+-\d+)\.ledger$/.exec(name)?.[1] }))
    .filter(({ file, owner }) => owner !== undefined && (file === ownFile || !isAlive(owner)))
    .map(({ file }) => file);
}

/** Empty if another process has removed it. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
