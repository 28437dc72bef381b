import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { OpenEntry, StatedPage, StatedTally, TalliedBook } from "#protocol";
import { hourMs } from "../clock.ts";
import type { Rows } from "../rows/rows.ts";
import { sqliteRows } from "../rows/sqlite-rows.ts";
import { describeBalance } from "./balance.contract.ts";
import { anOrder, aPage, Books, booksBegin, bookTurnMs } from "./example-books.contract.ts";
import { balanceSchema } from "./open-balance-database.ts";

const minute = 60_000;

function inMemory(): Rows {
  const database = new DatabaseSync(":memory:");
  database.exec(balanceSchema);
  return sqliteRows(database);
}

describeBalance(inMemory);

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

interface Begun {
  book: TalliedBook;
  entry: OpenEntry;
  endsAt: number;
}

/**
 * What a process says at a time about what has begun in it. It is killed at `killedAt`: what has no end by then is
 * lost, unless it is kept, and the next process says so.
 */
function talliesAt(begun: readonly Begun[], at: number, killedAt: number): readonly StatedTally[] {
  const isOver = at >= killedAt;
  const until = Math.min(at, killedAt);
  const groups = Map.groupBy(begun, ({ book, entry }) => `${book} ${Math.floor(entry.atMs / hourMs)}`);
  return [...groups.values()].flatMap((group) => {
    const known = group.filter(({ entry }) => entry.atMs <= until);
    const [first] = known;
    if (first === undefined) return [];
    const open = known.filter(({ endsAt }) => endsAt > until).map(({ entry }) => entry);
    const kept = isOver ? open.filter(({ state }) => state === "kept") : [];
    const named = open
      .filter((entry) => !kept.includes(entry) && (isOver || entry.atMs < at - minute))
      .map((entry): OpenEntry => (isOver ? { ...entry, state: "lost" } : entry));
    const ends = { done: known.length - open.length, ...(kept.length > 0 && { kept: kept.length }) };
    return [{ book: first.book, hour: Math.floor(first.entry.atMs / hourMs), ends, open: named }];
  });
}

/**
 * A few hours of an application: several processes, of which some are killed and taken over by the next, deliveries
 * that are late, repeated and in any order, long outages of delivery and of the service, and browsers that come back.
 * `loses` says which events vanish, and which submissions and navigations are without an end at a kill.
 */
async function simulate(seed: number, loses: (random: number) => boolean): Promise<{ books: Books; lost: string[] }> {
  const random = randomOf(seed);
  const books = new Books(inMemory());
  const plan: Planned[] = [];
  const lost: string[] = [];
  const upTo = (most: number): number => Math.floor(random() * most);
  for (let process = 0; process < 1 + upTo(3); process++) {
    const began = booksBegin + upTo(60) * minute;
    // Nothing that was kept is lost with a kill: the next process delivers it within minutes, and is another source.
    const pause = random() < 0.4 ? upTo(9) * minute : 0;
    const source = `${seed}-${process}${pause > 0 ? "-next" : ""}`;
    const outage = random() < 0.3 ? { from: began + upTo(30) * minute, ms: upTo(120) * minute } : { from: 0, ms: 0 };
    const outbox: Kept[] = [];
    // As a server says it: the oldest report that waits.
    const state = (pages: readonly StatedPage[], tallies: readonly StatedTally[] = []): Promise<void> => {
      const waiting = outbox.filter(({ page, deliveredAt }) => page.atMs <= books.now && deliveredAt > books.now);
      const since = Math.min(...waiting.map(({ page }) => page.atMs));
      return books.take({ source, pages, tallies, ...(waiting.length > 0 && { waitingSinceMs: since }) });
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
    const killedAt = pause > 0 ? began + upTo(120) * minute : Number.POSITIVE_INFINITY;
    const begun = Array.from({ length: upTo(6) }, (): Begun => {
      if (random() < 0.4) {
        const entry = anOrder(began + upTo(120 * minute));
        return loses(random())
          ? { book: "navigations", entry: { ...entry, state: "lost" }, endsAt: Number.POSITIVE_INFINITY }
          : { book: "navigations", entry, endsAt: entry.atMs };
      }
      const isLong = random() < 0.5;
      const entry = anOrder(isLong && pause > 0 ? killedAt - upTo(20 * minute) : began + upTo(120 * minute));
      const endsAt = entry.atMs + upTo(isLong ? 60 * minute : 20_000);
      // Without a loss, what runs at a kill is kept.
      const isCut = entry.atMs <= killedAt && endsAt > killedAt;
      return { book: "submissions", entry: isCut && !loses(random()) ? { ...entry, state: "kept" } : entry, endsAt };
    });
    const happened = begun.filter(({ entry }) => entry.atMs <= killedAt);
    lost.push(
      ...happened
        .filter(({ entry, endsAt }) => entry.state === "lost" || (entry.state !== "kept" && endsAt > killedAt))
        .map(({ entry }) => entry.id),
    );
    const saidAt = happened.flatMap(({ entry: { atMs }, endsAt }) => {
      const until = Math.min(endsAt, killedAt, atMs + hourMs);
      const meanwhile = Array.from({ length: Math.floor((until - atMs) / (2 * minute)) }, (_, n) => n * 2 * minute);
      return [...meanwhile.map((ms) => atMs + minute + ms + 1), until + upTo(10_000)];
    });
    for (const at of [...saidAt.filter((one) => one < killedAt), ...(pause > 0 ? [killedAt + pause] : [])])
      plan.push({
        at: at + (random() < 0.1 ? upTo(2 * minute) : upTo(5_000)),
        run: () => state([], talliesAt(happened, at, killedAt)),
      });
    for (let at = outage.from; at <= outage.from + outage.ms && at > 0; at += 2 * minute)
      plan.push({ at: at + pause, run: () => state([]) });
  }
  const away = random() < 0.3 ? { from: booksBegin + upTo(120) * minute, ms: upTo(90) * minute } : { from: 0, ms: 0 };
  // What clients could not deliver arrives within half a minute after the service is back.
  const arrival = (at: number): number =>
    at >= away.from && at < away.from + away.ms ? away.from + away.ms + upTo(minute / 2) : at;
  const arriving = plan.map(({ at, run }) => ({ at: arrival(at), run }));
  for (let at = booksBegin; at < booksBegin + 6 * hourMs; at += bookTurnMs)
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
    let inNewBooks = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const { books, lost } = await simulate(seed, (random) => random < 0.2);
      planted += lost.length;
      const named = new Set(books.reported.flatMap(({ names }) => names));
      inNewBooks += lost.filter((name) => name.startsWith("order-")).length;
      expect({ seed, named: [...named].sort() }).toEqual({ seed, named: lost.sort() });
    }
    // The test would prove nothing without them.
    expect([planted > 100, inNewBooks > 30]).toEqual([true, true]);
  });
});
