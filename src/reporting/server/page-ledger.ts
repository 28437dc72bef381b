import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import path from "node:path";
import {
  type BalanceStatement,
  jsonItem,
  newEventId,
  pagesPerStatement,
  protocolLimits,
  readClientReport,
  type StatedPage,
  writeBalance,
  writeEnvelope,
} from "#protocol";
import type { Deliver } from "../delivery.ts";
import type { ReportingLimits } from "../limits.ts";
import { isAlive, processName } from "./outbox/outbox-folder.ts";

export interface PageLedgerOptions {
  folder: string;
  /** Past the outbox, so that what happens to an event cannot happen to its entry. */
  deliver: Deliver | undefined;
  limits: Pick<ReportingLimits, "ledgerMs" | "ledgerPages" | "ledgerWaitingMs">;
  /** Since when the outbox holds an error report. */
  waitingSince: () => number | undefined;
  now: () => number;
}

/**
 * The books of this process: each error page that visitors were sent. An entry is in a file before its page is sent and
 * stays there until the service has it. The next process takes over the file of one that was killed.
 */
export class PageLedger {
  readonly #options: PageLedgerOptions;
  readonly #file: string;
  readonly #source = newEventId();
  readonly #pages = new Map<string, StatedPage>();
  readonly #timer: NodeJS.Timeout;
  #saidWaitingMs = 0;
  #delivering: Promise<void> | undefined;

  constructor(options: PageLedgerOptions) {
    this.#options = options;
    this.#file = path.join(options.folder, `${processName()}.ledger`);
    for (const page of takeOver(options.folder, this.#file)) this.#pages.set(page.digest, page);
    this.#timer = setInterval(() => void this.deliver(), options.limits.ledgerMs).unref();
  }

  /** Resolves when the entries survive the end of the process. Never rejects: a page matters more than its entry. */
  async add(pages: readonly StatedPage[]): Promise<void> {
    const fitting = pages.slice(0, Math.max(0, this.#options.limits.ledgerPages - this.#pages.size));
    for (const page of fitting) this.#pages.set(page.digest, { ...this.#pages.get(page.digest), ...page });
    try {
      if (fitting.length > 0) await appendFile(this.#file, linesOf(fitting), { mode: 0o600 });
    } catch {
      // The disk is full or fails. The entries are delivered from memory.
    }
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
    await this.deliver();
  }

  async #deliverAll(): Promise<void> {
    const { now, waitingSince, limits } = this.#options;
    do {
      const pages = [...this.#pages.values()].slice(0, pagesPerStatement);
      const since = waitingSince();
      const isDue = since !== undefined && now() - this.#saidWaitingMs >= limits.ledgerWaitingMs;
      if (pages.length === 0 && !isDue) return;
      const waiting = since === undefined ? {} : { waitingSinceMs: since };
      if (!(await this.#send({ source: this.#source, ...waiting, pages }))) return;
      this.#saidWaitingMs = now();
      // An entry may have changed meanwhile.
      for (const page of pages) if (this.#pages.get(page.digest) === page) this.#pages.delete(page.digest);
    } while (this.#pages.size > 0);
    rmSync(this.#file, { force: true });
  }

  async #send(statement: BalanceStatement): Promise<boolean> {
    const { deliver, now } = this.#options;
    if (deliver === undefined) return false;
    const report = { timestamp: now() / 1000, discarded_events: [], balance: writeBalance(statement) };
    const result = await deliver(writeEnvelope({ sentAtMs: now() }, [jsonItem("client_report", report)]));
    // A refused statement would be refused again.
    return result.kind !== "later";
  }
}

function linesOf(pages: readonly StatedPage[]): string {
  return pages.map((page) => `${JSON.stringify(writeBalance({ source: "file", pages: [page] }))}\n`).join("");
}

/** Renaming is atomic: of two processes that start at once, one gets the file. */
function takeOver(folder: string, ownFile: string): StatedPage[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found: StatedPage[] = [];
  for (const name of readdirSync(folder)) {
    const [, owner] = /^(\d+-\d+)\.ledger$/.exec(name) ?? [];
    const file = path.join(folder, name);
    if (owner === undefined || (file !== ownFile && isAlive(owner))) continue;
    try {
      const taken = `${ownFile}-taken`;
      renameSync(file, taken);
      const text = readFileSync(taken, "utf8");
      found.push(...text.split("\n").flatMap(pagesIn));
      appendFileSync(ownFile, text, { mode: 0o600 });
      rmSync(taken);
    } catch {
      // The other process was faster.
    }
  }
  return found;
}

/** The last line may be cut. */
function pagesIn(line: string): readonly StatedPage[] {
  try {
    const reading = readClientReport({ balance: JSON.parse(line) }, protocolLimits);
    return reading.kind === "read" ? (reading.value.balance?.pages ?? []) : [];
  } catch {
    return [];
  }
}
