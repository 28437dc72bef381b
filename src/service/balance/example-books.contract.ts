import {
  type BalanceStatement,
  digestOf,
  type OpenEntry,
  readDigest,
  readEnvelope,
  type StatedPage,
  type StatedTally,
} from "#protocol";
import { hourMs } from "../clock.ts";
import type { Rows, RowValue } from "../rows/rows.ts";
import { balanceLimits } from "./limits.ts";
import { takeStatements } from "./take-statements.ts";
import { type BalanceDeps, newBalanceMemory, watchBalance } from "./watch-balance.ts";

/** The beginning of an hour. */
export const booksBegin = 1_790_000 * hourMs;
/** A real turn comes every ten seconds. */
export const bookTurnMs = balanceLimits.graceMs;

/** A service with its books and a clock that the test moves. Its store knows the filed digests alone. */
export class Books {
  readonly rows: Rows;
  readonly filed = new Map<string, { group: number; visitor?: number }>();
  readonly reported: { book: string; hour: string; names: string[]; text: string }[] = [];
  readonly stuck = new Map<number, number>();
  /** How often visitors who got no further were counted. */
  stuckCounts = 0;
  readonly resolved: string[] = [];
  hasFiledAll = true;
  now = booksBegin;
  readonly #memory = newBalanceMemory();

  constructor(rows: Rows) {
    this.rows = rows;
  }

  file(digest: string, group = 1, visitor?: number): void {
    this.filed.set(readDigest(digest) ?? "", { group, ...(visitor !== undefined && { visitor }) });
  }

  async state(source: string, pages: readonly StatedPage[], waitingSinceMs?: number): Promise<void> {
    await this.take({ source, pages, ...(waitingSinceMs !== undefined && { waitingSinceMs }) });
  }

  async count(source: string, tallies: readonly StatedTally[]): Promise<void> {
    await this.take({ source, pages: [], tallies });
  }

  async take(statement: BalanceStatement, limits = balanceLimits): Promise<void> {
    await takeStatements(this.rows, [{ project: 1, receivedAt: this.now, statement }], limits);
  }

  /** Runs turns up to a time, as the service does. */
  async runTo(at: number): Promise<void> {
    for (; this.now < at; this.now = Math.min(at, this.now + bookTurnMs)) await this.turn();
    await this.turn();
  }

  turn(): Promise<void> {
    const store: Partial<BalanceDeps["store"]> = {
      lease: async () => true,
      filedEvents: async (_, starts) =>
        starts.flatMap((one) => {
          const event = this.filed.get(one);
          return event === undefined ? [] : [{ start: one, group: event.group, visitor: event.visitor }];
        }),
      setStuck: async (_, groups) => {
        for (const { group, visitors } of groups) this.stuck.set(group, visitors);
      },
      event: async (_, id) => ({ issue: 7, eventId: id }) as never,
      issue: async () => ({ id: 7, state: { kind: "open" } }) as never,
      change: async ({ by }) => {
        this.resolved.push(by);
        return [7];
      },
    };
    return watchBalance({
      store: store as BalanceDeps["store"],
      rows: () => ({ ...this.rows, all: (sql, ...values) => this.#all(sql, values) }),
      inTurn: (work) => work(),
      report: async (_, envelope) => this.#report(envelope),
      hasFiledAll: () => this.hasFiledAll,
      clock: { now: () => this.now, elapsed: () => this.now },
      limits: { ...balanceLimits, pauseMs: bookTurnMs },
      memory: this.#memory,
    });
  }

  #all<Row>(sql: string, values: readonly RowValue[]): Promise<readonly Row[]> {
    if (sql.includes("count(DISTINCT")) this.stuckCounts += 1;
    return this.rows.all<Row>(sql, ...values);
  }

  #report(envelope: Uint8Array): void {
    const reading = readEnvelope(envelope);
    const payload = reading.kind === "read" ? reading.envelope.items[0]?.payload : undefined;
    const event = JSON.parse(new TextDecoder().decode(payload));
    this.reported.push({
      book: event.tags["balance.book"],
      hour: event.extra.hour,
      names: event.extra.digests ?? event.extra.entries.map(({ id }: { id: string }) => id),
      text: event.exception.values[0].value,
    });
  }
}

/** An order that runs, unless it has a state. */
export function anOrder(atMs: number, more: Partial<OpenEntry> = {}): OpenEntry {
  ids += 1;
  return { id: `order-${ids}`, atMs, route: "/checkout", name: "order", ...more };
}

export function aTally(more: Partial<StatedTally>): StatedTally {
  return { book: "submissions", hour: booksBegin / hourMs, ends: {}, open: [], ...more };
}

let ids = 0;
function newDigest(): string {
  ids += 1;
  return digestOf(ids.toString(16).padStart(15, "0").padEnd(32, "0"));
}

export function aPage(atMs: number, more: Partial<StatedPage> = {}): StatedPage {
  return { digest: newDigest(), atMs, route: "/orders", side: "server", ...more };
}
