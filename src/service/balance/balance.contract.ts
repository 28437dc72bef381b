import { describe, expect, it } from "vitest";
import type { StatedPage } from "#protocol";
import { hourMs } from "../clock.ts";
import type { Rows } from "../rows/rows.ts";
import { readAfterErrors } from "./after-errors.ts";
import { aPage, Books, booksBegin } from "./example-books.contract.ts";
import { balanceLimits } from "./limits.ts";
import { takeStatements } from "./take-statements.ts";

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
          hour: new Date(booksBegin).toISOString(),
          digests: [lost.digest],
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
      expect(books.reported.map(({ digests }) => digests)).toEqual([[page.digest]]);
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
      await takeStatements(
        books.rows,
        [{ project: 1, receivedAt: booksBegin, statement: { source: "server", pages } }],
        limits,
      );
      const rows = await books.rows.all("SELECT digest FROM holdfast.balance_page");
      expect(rows).toHaveLength(3);
    });
  });

  describe("what visitors did next", () => {
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
