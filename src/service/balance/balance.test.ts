import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { digestOf, readDigest, readEnvelope, type StatedPage } from "#protocol";
import { hourMs } from "../clock.ts";
import type { Rows } from "../rows/rows.ts";
import { sqliteRows } from "../rows/sqlite-rows.ts";
import { readAfterErrors } from "./after-errors.ts";
import { balanceLimits } from "./limits.ts";
import { balanceSchema } from "./open-balance-database.ts";
import { takeStatements } from "./take-statements.ts";
import { type BalanceDeps, newBalanceMemory, watchBalance } from "./watch-balance.ts";

const start = 1_790_000 * hourMs;
const minute = 60_000;
/** A real turn comes every ten seconds. */
const turnMs = balanceLimits.graceMs;

/** A service with its books and a clock that the test moves. Its store knows the filed digests alone. */
class Books {
  readonly rows: Rows;
  readonly filed = new Map<string, { group: number; visitor?: number }>();
  readonly reported: { hour: string; digests: string[]; text: string }[] = [];
  readonly stuck = new Map<number, number>();
  readonly resolved: string[] = [];
  hasFiledAll = true;
  now = start;
  readonly #memory = newBalanceMemory();

  constructor() {
    const database = new DatabaseSync(":memory:");
    database.exec(balanceSchema);
    this.rows = sqliteRows(database);
  }

  file(digest: string, group = 1, visitor?: number): void {
    this.filed.set(readDigest(digest) ?? "", { group, ...(visitor !== undefined && { visitor }) });
  }

  async state(source: string, pages: readonly StatedPage[], waitingSinceMs?: number): Promise<void> {
    const statement = { source, pages, ...(waitingSinceMs !== undefined && { waitingSinceMs }) };
    await takeStatements(this.rows, [{ project: 1, receivedAt: this.now, statement }], balanceLimits);
  }

  /** Runs turns up to a time, as the service does. */
  async runTo(at: number): Promise<void> {
    for (; this.now < at; this.now = Math.min(at, this.now + turnMs)) await this.turn();
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
      rows: () => this.rows,
      inTurn: (work) => work(),
      report: async (_, envelope) => this.#report(envelope),
      hasFiledAll: () => this.hasFiledAll,
      clock: { now: () => this.now, elapsed: () => this.now },
      limits: { ...balanceLimits, pauseMs: turnMs },
      memory: this.#memory,
    });
  }

  #report(envelope: Uint8Array): void {
    const reading = readEnvelope(envelope);
    const payload = reading.kind === "read" ? reading.envelope.items[0]?.payload : undefined;
    const event = JSON.parse(new TextDecoder().decode(payload));
    this.reported.push({
      hour: event.extra.hour,
      digests: event.extra.digests,
      text: event.exception.values[0].value,
    });
  }
}

let ids = 0;
function newDigest(): string {
  ids += 1;
  return digestOf(ids.toString(16).padStart(15, "0").padEnd(32, "0"));
}

function aPage(atMs: number, more: Partial<StatedPage> = {}): StatedPage {
  return { digest: newDigest(), atMs, route: "/orders", side: "server", ...more };
}

describe("the balance of error pages and events", () => {
  it("a lost event is reported once its hour is closed, by its digest, and not before", async () => {
    const books = new Books();
    const [kept, lost] = [aPage(start + minute), aPage(start + 2 * minute)];
    await books.state("server", [kept, lost]);
    books.file(kept.digest);
    await books.runTo(start + hourMs + balanceLimits.graceMs - 1);
    expect(books.reported).toEqual([]);
    await books.runTo(start + hourMs + balanceLimits.graceMs);
    await books.turn();
    expect(books.reported).toEqual([
      {
        hour: new Date(start).toISOString(),
        digests: [lost.digest],
        text: expect.stringContaining(`1 of 2 error pages`),
      },
    ]);
  });

  it("a late event levels the books again, and its issue is resolved", async () => {
    const books = new Books();
    const late = aPage(start);
    await books.state("server", [late]);
    await books.runTo(start + 2 * hourMs);
    expect(books.reported).toHaveLength(1);
    books.file(late.digest);
    await books.runTo(start + 3 * hourMs);
    expect([books.resolved, books.reported.length]).toEqual([["balance"], 1]);
  });

  it("an event that its server says is in the outbox is on its way, until the server is silent", async () => {
    const books = new Books();
    const page = aPage(start + 10 * minute);
    for (let at = 11; at <= 180; at += 3) {
      books.now = start + at * minute;
      await books.state("server", at === 11 ? [page] : [], start + 9 * minute);
      await books.turn();
    }
    expect(books.reported).toEqual([]);
    await books.runTo(books.now + balanceLimits.waitingMs);
    expect(books.reported.map(({ digests }) => digests)).toEqual([[page.digest]]);
  });

  it("a page that was not recorded for a reason is no difference, and a backlog of the journal is none", async () => {
    const books = new Books();
    await books.state("server", [aPage(start, { cause: "cache_overflow" })]);
    await books.runTo(start + 3 * hourMs);
    await books.state("server", [aPage(start + hourMs)]);
    books.hasFiledAll = false;
    await books.runTo(start + 4 * hourMs);
    expect(books.reported).toEqual([]);
  });

  it("more pages of an hour than are compared change nothing", async () => {
    const books = new Books();
    const limits = { ...balanceLimits, pagesPerHour: 3 };
    const pages = Array.from({ length: 5 }, () => aPage(start));
    await takeStatements(
      books.rows,
      [{ project: 1, receivedAt: start, statement: { source: "server", pages } }],
      limits,
    );
    const rows = await books.rows.all("SELECT digest FROM holdfast.balance_page");
    expect(rows).toHaveLength(3);
  });
});

describe("what visitors did next", () => {
  it("counts who got through, got further, gave up, may still be there, and of whom nothing is known", async () => {
    const books = new Books();
    const seen = (more: Partial<StatedPage>) => aPage(start, { side: "browser", ...more });
    const first = seen({});
    const pages = [
      seen({ next: "through" }),
      seen({ next: "further" }),
      first,
      // The same browser met the error twice.
      { ...seen({}), chain: first.digest },
      aPage(start),
    ];
    for (const { digest } of pages) books.file(digest, 3);
    await books.state("browser", pages);
    const hours = { project: 1, from: start / hourMs, to: start / hourMs };
    expect(await readAfterErrors(books.rows, hours)).toMatchObject({ visitors: 4, open: 1, gaveUp: 0, unknown: 1 });
    await books.runTo(start + balanceLimits.gaveUpMs);
    expect(await readAfterErrors(books.rows, hours)).toEqual({
      visitors: 4,
      further: 1,
      through: 1,
      gaveUp: 1,
      open: 0,
      unknown: 1,
    });
    expect(books.stuck).toEqual(new Map([[3, 1]]));
    // What the browser says later is right.
    await books.state("browser", [
      { ...first, next: "through" },
      ...pages.slice(3, 4).map((page) => ({ ...page, next: "through" as const })),
    ]);
    await books.turn();
    expect(books.stuck).toEqual(new Map([[3, 0]]));
  });
});

/** The same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state / 2 ** 32;
  };
}

interface Planned {
  at: number;
  run: () => Promise<void> | void;
}

interface Kept {
  page: StatedPage;
  deliveredAt: number;
}

/**
 * A few hours of an application: several processes, of which some are killed and taken over by the next, deliveries
 * that are late, repeated and in any order, long outages of delivery and of the service, and browsers that come back.
 * `loses` says which events vanish.
 */
async function simulate(seed: number, loses: (random: number) => boolean): Promise<{ books: Books; lost: string[] }> {
  const random = randomOf(seed);
  const books = new Books();
  const plan: Planned[] = [];
  const lost: string[] = [];
  const upTo = (most: number): number => Math.floor(random() * most);
  for (let process = 0; process < 1 + upTo(3); process++) {
    const began = start + upTo(60) * minute;
    // Nothing that was kept is lost with a kill: the next process delivers it within minutes, and is another source.
    const pause = random() < 0.4 ? upTo(9) * minute : 0;
    const source = `${seed}-${process}${pause > 0 ? "-next" : ""}`;
    const outage = random() < 0.3 ? { from: began + upTo(30) * minute, ms: upTo(120) * minute } : { from: 0, ms: 0 };
    const outbox: Kept[] = [];
    // As a server says it: the oldest report that waits.
    const state = (pages: readonly StatedPage[]): Promise<void> => {
      const waiting = outbox.filter(({ page, deliveredAt }) => page.atMs <= books.now && deliveredAt > books.now);
      const since = Math.min(...waiting.map(({ page }) => page.atMs));
      return books.state(source, pages, waiting.length === 0 ? undefined : since);
    };
    for (let n = 0; n < 1 + upTo(5); n++) {
      const page = aPage(began + upTo(120 * minute));
      const waits = page.atMs >= outage.from && page.atMs < outage.from + outage.ms;
      const deliveredAt = waits ? outage.from + outage.ms : page.atMs + upTo(minute) + pause;
      const entered = page.atMs + 2_000 + upTo(minute) + pause;
      plan.push({ at: entered, run: () => state([page]) });
      if (random() < 0.3) plan.push({ at: entered + upTo(minute), run: () => state([page]) });
      if (loses(random())) lost.push(page.digest);
      else {
        outbox.push({ page, deliveredAt });
        plan.push({ at: deliveredAt, run: () => books.file(page.digest) });
      }
      if (random() < 0.5) {
        const next = (["further", "through", undefined] as const)[upTo(3)];
        const stated: StatedPage = { ...page, side: "browser", ...(next && { next }) };
        plan.push({ at: entered + upTo(120 * minute), run: () => state([stated]) });
      }
    }
    for (let at = outage.from; at <= outage.from + outage.ms && at > 0; at += 2 * minute)
      plan.push({ at: at + pause, run: () => state([]) });
  }
  const away = random() < 0.3 ? { from: start + upTo(120) * minute, ms: upTo(90) * minute } : { from: 0, ms: 0 };
  // What clients could not deliver arrives within half a minute after the service is back.
  const arrival = (at: number): number =>
    at >= away.from && at < away.from + away.ms ? away.from + away.ms + upTo(minute / 2) : at;
  const arriving = plan.map(({ at, run }) => ({ at: arrival(at), run }));
  for (let at = start; at < start + 6 * hourMs; at += turnMs)
    if (arrival(at) === at) arriving.push({ at, run: () => books.turn() });
  for (const { at, run } of arriving.sort((a, b) => a.at - b.at)) {
    books.now = at;
    await run();
  }
  return { books, lost };
}

describe("in a thousand random schedules", () => {
  it("nothing appears without a loss", { timeout: 120_000 }, async () => {
    for (let seed = 1; seed <= 1_000; seed++) {
      const { books } = await simulate(seed, () => false);
      expect({ seed, reported: books.reported }).toEqual({ seed, reported: [] });
    }
  });

  it("every planted loss appears, and nothing else", { timeout: 120_000 }, async () => {
    let planted = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const { books, lost } = await simulate(seed, (random) => random < 0.2);
      planted += lost.length;
      const named = new Set(books.reported.flatMap(({ digests }) => digests));
      expect({ seed, named: [...named].sort() }).toEqual({ seed, named: lost.sort() });
    }
    // The test would prove nothing without them.
    expect(planted).toBeGreaterThan(100);
  });
});
