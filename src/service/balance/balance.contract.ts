import { describe, expect, it } from "vitest";
import type { StatedPage, StatedTally } from "#protocol";
import { hourMs } from "../clock.ts";
import type { Rows } from "../rows/rows.ts";
import { readAfterErrors } from "./after-errors.ts";
import { anOrder, aPage, aTally, Books, booksBegin } from "./example-books.contract.ts";
import { readTallies } from "./hour-tallies.ts";
import { balanceLimits } from "./limits.ts";

const minute = 60_000;

/** What the books must do in a data folder and in PostgreSQL. `open` makes empty tables. */
export function describeBalance(open: () => Rows | Promise<Rows>): void {
  describe("the balance of error pages and events", () => {
    it("a lost event is reported once its hour is closed, by its digest, and not before", async () => {
      const books = new Books(await open());
      const [kept, lost] = [aPage(booksBegin + minute), aPage(booksBegin + 2 * minute)];
      await books.state("server", [kept, lost]);
      books.file(kept.digest);
      await books.runTo(booksBegin + hourMs + balanceLimits.graceMs - 1);
      expect(books.reported).toEqual([]);
      await books.runTo(booksBegin + hourMs + balanceLimits.graceMs);
      await books.turn();
      expect(books.reported).toEqual([
        {
          book: "error-pages",
          hour: new Date(booksBegin).toISOString(),
          names: [lost.digest],
          text: expect.stringContaining(`1 of 2 error pages`),
        },
      ]);
    });

    it("a late event levels the books again, and its issue is resolved", async () => {
      const books = new Books(await open());
      const late = aPage(booksBegin);
      await books.state("server", [late]);
      await books.runTo(booksBegin + 2 * hourMs);
      expect(books.reported).toHaveLength(1);
      books.file(late.digest);
      await books.runTo(booksBegin + 3 * hourMs);
      expect([books.resolved, books.reported.length]).toEqual([["balance"], 1]);
    });

    it("an event that its server says is in the outbox is on its way, until the server is silent", async () => {
      const books = new Books(await open());
      const page = aPage(booksBegin + 10 * minute);
      for (let at = 11; at <= 180; at += 3) {
        books.now = booksBegin + at * minute;
        await books.state("server", at === 11 ? [page] : [], booksBegin + 9 * minute);
        await books.turn();
      }
      expect(books.reported).toEqual([]);
      await books.runTo(books.now + balanceLimits.waitingMs);
      expect(books.reported.map(({ names }) => names)).toEqual([[page.digest]]);
    });

    it("a page that was not recorded for a reason is no difference, and a backlog of the journal is none", async () => {
      const books = new Books(await open());
      await books.state("server", [aPage(booksBegin, { cause: "cache_overflow" })]);
      await books.runTo(booksBegin + 3 * hourMs);
      await books.state("server", [aPage(booksBegin + hourMs)]);
      books.hasFiledAll = false;
      await books.runTo(booksBegin + 4 * hourMs);
      expect(books.reported).toEqual([]);
    });

    it("more pages of an hour than are compared change nothing", async () => {
      const books = new Books(await open());
      const limits = { ...balanceLimits, pagesPerHour: 3 };
      const pages = Array.from({ length: 5 }, () => aPage(booksBegin));
      await books.take({ source: "server", pages }, limits);
      const rows = await books.rows.all("SELECT digest FROM holdfast.balance_page");
      expect(rows).toHaveLength(3);
    });
  });

  describe("the balance of submissions and outcomes, and of navigations and ends", () => {
    it("a submission that was lost with its process is reported by its route and action once the hour is closed", async () => {
      const books = new Books(await open());
      const lost = anOrder(booksBegin, { state: "lost", key: "key-7" });
      await books.count("one", [aTally({ ends: { done: 30, invalid: 4 } })]);
      await books.count("two", [aTally({ ends: { kept: 1 }, open: [lost] })]);
      await books.runTo(booksBegin + hourMs + balanceLimits.graceMs - 1);
      expect(books.reported).toEqual([]);
      await books.runTo(booksBegin + 2 * hourMs);
      expect(books.reported).toEqual([
        {
          book: "submissions",
          hour: new Date(booksBegin).toISOString(),
          names: [lost.id],
          text: expect.stringMatching(/^1 of 36 submissions of .* has no outcome: order of \/checkout\.$/),
        },
      ]);
    });

    it("a navigation without an end is an issue of its own book", async () => {
      const books = new Books(await open());
      const dead = { ...anOrder(booksBegin), route: "/cart", name: "/checkout", state: "lost" } as const;
      await books.count("one", [aTally({ book: "navigations", ends: { committed: 99 }, open: [dead] })]);
      await books.runTo(booksBegin + 2 * hourMs);
      expect(books.reported.map(({ book, names }) => [book, names])).toEqual([["navigations", [dead.id]]]);
      expect(books.reported[0]?.text).toMatch(/^1 of 100 navigations .* has no end: \/cart to \/checkout\.$/);
    });

    it("an action still runs while its server says so, and is lost when the server is silent, unless it is kept", async () => {
      const books = new Books(await open());
      const [running, kept] = [anOrder(booksBegin), anOrder(booksBegin, { state: "kept" })];
      for (let at = 0; at <= 180; at += 3) {
        books.now = booksBegin + at * minute;
        await books.count("one", at === 0 ? [aTally({ open: [running, kept] })] : []);
        await books.turn();
      }
      const [hours] = await readTallies(books.rows, { from: 0, to: 1e7, now: books.now, limits: balanceLimits });
      expect(hours).toMatchObject({ begun: 2, running: 2, ends: {}, missing: [] });
      await books.runTo(books.now + balanceLimits.waitingMs);
      expect(books.reported.map(({ names }) => names)).toEqual([[running.id]]);
    });

    it("a tally that arrives late or twice changes nothing, and an end that is known later levels the books", async () => {
      const books = new Books(await open());
      const order = anOrder(booksBegin);
      await books.count("one", [aTally({ ends: { done: 2 }, open: [order] })]);
      await books.count("one", [aTally({ ends: { done: 1 } })]);
      await books.runTo(booksBegin + 2 * hourMs);
      expect(books.reported.map(({ names }) => names)).toEqual([[order.id]]);
      await books.count("one", [aTally({ ends: { done: 3 } })]);
      await books.count("one", [aTally({ ends: { done: 2 }, open: [order] })]);
      await books.turn();
      expect([books.resolved, books.reported.length]).toEqual([["balance"], 1]);
    });

    it("more sources of an hour than an application has processes, and hours that cannot be, are left out", async () => {
      const books = new Books(await open());
      const limits = { ...balanceLimits, sourcesPerHour: 2 };
      const take = (source: string, tally: Partial<StatedTally>) =>
        books.take({ source, pages: [], tallies: [aTally(tally)] }, limits);
      for (const source of ["one", "two", "three"]) await take(source, { ends: { done: 1 } });
      await take("two", { ends: { done: 2 } });
      await take("one", { hour: booksBegin / hourMs + 1, ends: { done: 1 } });
      await take("one", { hour: booksBegin / hourMs - 27, ends: { done: 1 } });
      const rows = await books.rows.all("SELECT source, changes FROM holdfast.balance_tally ORDER BY source");
      expect(rows).toEqual([
        { source: "one", changes: 2 },
        { source: "two", changes: 4 },
      ]);
    });
  });

  describe("what visitors did next", () => {
    it("is counted again only after a change", async () => {
      const books = new Books(await open());
      const page = aPage(booksBegin, { side: "browser" });
      await books.state("browser", [page]);
      books.file(page.digest, 3);
      await books.runTo(booksBegin + balanceLimits.gaveUpMs);
      expect(books.stuck).toEqual(new Map([[3, 1]]));
      const { stuckCounts } = books;
      await books.runTo(booksBegin + 2 * hourMs);
      expect(books.stuckCounts).toBe(stuckCounts);
      await books.state("browser", [{ ...page, next: "through" }]);
      await books.turn();
      expect([books.stuckCounts, books.stuck]).toEqual([stuckCounts + 1, new Map([[3, 0]])]);
    });

    it("counts who got through, got further, gave up, may still be there, and of whom nothing is known", async () => {
      const books = new Books(await open());
      const seen = (more: Partial<StatedPage>) => aPage(booksBegin, { side: "browser", ...more });
      const first = seen({});
      const pages = [
        seen({ next: "through" }),
        seen({ next: "further" }),
        first,
        // The same browser met the error twice.
        { ...seen({}), chain: first.digest },
        aPage(booksBegin),
      ];
      for (const { digest } of pages) books.file(digest, 3);
      await books.state("browser", pages);
      const hours = { project: 1, from: booksBegin / hourMs, to: booksBegin / hourMs };
      expect(await readAfterErrors(books.rows, hours)).toMatchObject({ visitors: 4, open: 1, gaveUp: 0, unknown: 1 });
      await books.runTo(booksBegin + balanceLimits.gaveUpMs);
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
}
