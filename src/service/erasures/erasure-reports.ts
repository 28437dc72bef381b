import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "#protocol";
import { documentText, readDocument, replaceFile } from "../documents/document.ts";
import { type ErasureCounts, type ErasureMatch, nothingErased } from "../stores/erase/erasure.ts";
import type { ErasureSubject } from "./erasure-subject.ts";

/** What became of an erasure. Says how much was removed, and nothing of it. */
export interface ErasureReport {
  readonly id: string;
  readonly project: number;
  readonly what: "event" | "issue" | "project" | "visitor" | "again";
  readonly by: string;
  readonly askedAt: number;
  readonly state: "waiting" | "done" | "failed";
  readonly removed: ErasureCounts;
  readonly endedAt?: number;
  /** Why it failed. It is tried again. */
  readonly why?: string;
}

/** A report with what is still to be erased, as hashes and ids. */
export interface WaitingErasure extends ErasureReport {
  readonly match?: ErasureMatch;
}

export const erasuresFolder = "erasures";

/** Reports that are kept. A year of two a week. */
const mostReports = 100;
const fileName = /^\d{13}-[0-9a-f]{12}\.json$/;

/**
 * Erasures of a data folder, one small file each. Any process may ask for one, also a command. The process that runs
 * the service executes it, after a restart too.
 */
export class ErasureReports {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, erasuresFolder);
  }

  ask(asked: Pick<WaitingErasure, "project" | "what" | "by" | "askedAt" | "match">): ErasureReport {
    const id = `${String(asked.askedAt).padStart(13, "0")}-${randomBytes(6).toString("hex")}`;
    const report: WaitingErasure = { ...asked, id, state: "waiting", removed: nothingErased };
    this.write(report);
    const { match: _, ...shown } = report;
    return shown;
  }

  /** Without what was erased, once it has ended. */
  write(report: WaitingErasure): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const { match, ...rest } = report;
    replaceFile(join(this.#folder, `${report.id}.json`), documentText(report.state === "done" ? rest : report));
  }

  read(id: string): ErasureReport | undefined {
    return this.#read(`${id}.json`);
  }

  /** Newest first. */
  all(): readonly WaitingErasure[] {
    return this.#names().flatMap((name) => this.#read(name) ?? []);
  }

  /** Oldest first. */
  waiting(): readonly WaitingErasure[] {
    return this.all()
      .filter(({ state }) => state !== "done")
      .toReversed();
  }

  /** Deletes the oldest reports beyond the limit. */
  cut(): void {
    const done = this.all().filter(({ state }) => state === "done");
    for (const { id } of done.slice(mostReports)) rmSync(join(this.#folder, `${id}.json`), { force: true });
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => fileName.test(name))
        .sort()
        .reverse();
    } catch {
      // Nothing was ever erased.
      return [];
    }
  }

  /** Written by this class. A file that was cut off or edited is not followed. */
  #read(name: string): WaitingErasure | undefined {
    if (!fileName.test(name)) return undefined;
    const value = readDocument(join(this.#folder, name));
    const isReport = isObject(value) && typeof value.project === "number" && typeof value.state === "string";
    return isReport ? (value as unknown as WaitingErasure) : undefined;
  }
}

export function erasedKind({ kind }: ErasureSubject): ErasureReport["what"] {
  return kind === "visitor-hash" ? "visitor" : kind;
}

const words: Readonly<Record<ErasureReport["what"], string>> = {
  event: "an event",
  issue: "an issue",
  project: "everything of the project",
  visitor: "everything of a visitor",
  again: "what was erased before a backup was restored",
};

/** For the audit log: `erased everything of a visitor: 12 events, 2 attachments`. */
export function auditWords({ what, removed, state }: ErasureReport): string {
  return state === "waiting" ? `asked to erase ${words[what]}` : `erased ${words[what]}: ${erasedWords(removed)}`;
}

/** `12 events, 1 attachment`, or `nothing`. */
export function erasedWords(counts: ErasureCounts): string {
  const parts = [
    [counts.events, "event", "events"],
    [counts.attachments, "attachment", "attachments"],
    [counts.traces, "part of a trace", "parts of traces"],
    [counts.logLines, "log line", "log lines"],
    [counts.feedback, "message of feedback", "messages of feedback"],
    [counts.issues, "issue", "issues"],
  ] as const;
  const found = parts.flatMap(([n, one, many]) => (n === 0 ? [] : [`${n} ${n === 1 ? one : many}`]));
  return found.length === 0 ? "nothing" : found.join(", ");
}
