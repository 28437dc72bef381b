import type { AlertRule } from "../../alerts/alert-settings.ts";
import type { EventRecord, IssueRecord } from "../../stores/records.ts";
import type { StoreReader } from "../../stores/store.ts";
import { isAmong, passesIssue } from "./rule-filters.ts";

/** An issue that a rule has something to say about. */
export interface FoundIssue {
  readonly key: string;
  readonly reason: string;
  readonly issue: IssueRecord;
  readonly event: EventRecord | undefined;
  readonly againAfterMs: number | undefined;
}

export interface IssuesFound {
  readonly found: readonly FoundIssue[];
  /** Further ones, which were counted and not described, because there are too many at once. */
  readonly more: number;
  /** Where the next look continues. */
  readonly cursor: number;
  /** Numbers that exist and have no counted event yet. The next look asks for them again. */
  readonly late: readonly number[];
}

export interface Look {
  readonly project: number;
  readonly rule: AlertRule;
  /** Undefined at the first look: what was there before is not new. */
  readonly cursor: number | undefined;
  /** Numbers before the cursor that an earlier look has found without a counted event. */
  readonly late: readonly number[];
  readonly limits: LookLimits;
  /** Issues that the rule is about. */
  readonly isMeant: (issue: IssueRecord) => boolean;
}

export interface LookLimits {
  /** Alerts with their event. Each costs a read of the store. */
  readonly described: number;
  /** Issues in one look. The next look continues after them. */
  readonly issues: number;
}

/** A look takes some milliseconds of the thread that also answers requests. */
export const lookLimits: LookLimits = { described: 20, issues: 1_000 };

export type IssueStore = Pick<StoreReader, "issueNews" | "issue" | "event" | "history">;

/** When an issue was imported. Undefined for most: what happened elsewhere before is not new here. */
export async function importedAt(store: IssueStore, { project, id }: IssueRecord): Promise<number | undefined> {
  return (await store.history(project, id)).find(({ what }) => what.kind === "imported")?.at;
}

export type IssueReason = Pick<FoundIssue, "key" | "reason" | "againAfterMs">;

/** Applies the filters, and reads the newest event of the first issues that pass. */
export class IssueCollector {
  readonly #store: Pick<StoreReader, "event">;
  readonly #look: Omit<Look, "cursor" | "late">;
  readonly #found: FoundIssue[] = [];
  #more = 0;

  constructor(store: Pick<StoreReader, "event">, look: Omit<Look, "cursor" | "late">) {
    this.#store = store;
    this.#look = look;
  }

  async add(issue: IssueRecord, why: IssueReason): Promise<void> {
    const { rule, limits, project, isMeant } = this.#look;
    if (!isMeant(issue) || !passesIssue(rule.filters, issue)) return;
    if (this.#found.length >= limits.described) {
      this.#more += 1;
      return;
    }
    const event = await this.#store.event(project, issue.lastEventId);
    if (isAmong(rule.filters.environments, event?.environment)) this.#found.push({ ...why, issue, event });
  }

  result(cursor: number, late: readonly number[] = []): IssuesFound {
    return { found: this.#found, more: this.#more, cursor, late };
  }
}
