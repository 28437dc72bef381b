import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { application, buildApp, journeyThrough, startBuiltApp, type Visitor } from "../kit/index.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { startPostgres } from "../kit/postgres.ts";

const rounds = process.env.HOLDFAST_TEST_LONG === undefined ? 1 : 50;

/** The stock of a shop is a number in a file, which all processes read. */
const folder = mkdtempSync(join(tmpdir(), "holdfast-caching-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shop = application({
  "src/server/stock.ts": `import { readFileSync, writeFileSync } from "node:fs";
const file = String(process.env.STOCK);
export const stock = (): number => Number(readFileSync(file, "utf8"));
export const sell = (): void => writeFileSync(file, String(stock() - 1));
`,
  "src/pages/index.tsx": `import { Form } from "holdfast";
export default function Home({ actions }: PageProps<"/">) {
  return (
    <main>
      <h1>Shop</h1>
      <a href="/shelf">Shelf</a>
      <Form action={actions.sell}>{({ outcome }) => (<><button type="submit">Sell</button><p>{outcome?.kind === "done" && "Sold"}</p></>)}</Form>
    </main>
  );
}
`,
  "src/pages/index.server.ts": `import { action, invalidate } from "holdfast/server";
import { sell } from "../server/stock.ts";
export const actions = {
  sell: action({}, () => {
    invalidate("stock");
    sell();
  }),
};
`,
  "src/pages/shelf.tsx": `export default function Shelf({ data }: PageProps<"/shelf">) {
  return <h1>{data.stock} lamps, {data.q}, by {data.pid}</h1>;
}
`,
  "src/pages/shelf.server.ts": `import { load, type PageCache } from "holdfast/server";
import { stock } from "../server/stock.ts";
export const cache: PageCache = { fresh: "1h", tags: ["stock"], vary: { search: ["q"] } };
export const data = load("/shelf", ({ search }) => ({ stock: stock(), q: search.get("q") ?? "all", pid: process.pid }));
`,
});

const paths = ["/shelf", "/shelf?q=a", "/shelf?q=b", "/shelf/_data"];

interface Shown {
  stock: number;
  pid: number;
  decision: string;
}

/** On a connection of its own, so that either process may answer. */
async function shown(url: string): Promise<Shown> {
  const response = await fetch(url, { headers: { connection: "close" } });
  const text = (await response.text()).replaceAll("<!-- -->", "");
  const [, stock, , pid] =
    /(\d+) lamps, (\w+), by (\d+)/.exec(text) ?? /"stock":(\d+),"q":"(\w+)","pid":(\d+)/.exec(text) ?? [];
  const decision = /cache;desc="([^"]+)"/.exec(response.headers.get("server-timing") ?? "")?.[1] ?? "";
  return { stock: Number(stock), pid: Number(pid), decision };
}

/** Asks until this many processes have stored every page. */
async function fillCaches(origins: readonly string[], processes: number): Promise<void> {
  for (const path of paths) {
    const stored = new Set<number>();
    await expect
      .poll(
        async () => {
          for (const { pid, decision } of await Promise.all(origins.map((origin) => shown(origin + path))))
            if (decision === "hit") stored.add(pid);
          return stored.size;
        },
        { timeout: 60_000, interval: 5 },
      )
      .toBe(processes);
  }
}

/** What all processes show of all pages: 12 answers of each. */
async function allShown(origins: readonly string[]): Promise<Set<number>> {
  const answers = await Promise.all(
    origins.flatMap((origin) => paths.flatMap((path) => Array.from({ length: 12 }, () => shown(origin + path)))),
  );
  return new Set(answers.map(({ stock }) => stock));
}

/**
 * How long after `change` has ended a request may still begin that gets what was there before, in milliseconds: 0 if
 * none does. Four visitors ask each origin for all pages until every process has shown the new one.
 */
async function outdatedMs(origins: readonly string[], to: number, change: () => Promise<unknown>): Promise<number> {
  const renewed = new Set<number>();
  let changed = Number.POSITIVE_INFINITY;
  let last = 0;
  const ask = async (origin: string): Promise<void> => {
    for (let turn = 0; renewed.size < 2; turn++) {
      const began = performance.now();
      const { stock, pid } = await shown(origin + paths[turn % paths.length]);
      if (stock === to) renewed.add(pid);
      else {
        renewed.delete(pid);
        last = Math.max(last, began - changed);
      }
    }
  };
  const asking = Promise.all([...origins, ...origins, ...origins, ...origins].map(ask));
  await change();
  changed = performance.now();
  await asking;
  return Math.max(0, last);
}

const inWords = (all: readonly number[]): string => {
  const sorted = all.toSorted((one, other) => one - other);
  const at = (share: number): string => `${(sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(0)} ms`;
  return `half of them ${at(0.5)}, 95 of 100 ${at(0.95)}, the longest ${at(1)}`;
};

const post = (origin: string, path: string): Promise<Response> =>
  fetch(origin + path, {
    method: "POST",
    body: new URLSearchParams({ x: "1" }),
    headers: { origin },
    redirect: "manual",
  });

const stock = join(folder, "two-processes");
// More than any number of rounds sells.
writeFileSync(stock, "1000");
// All starts serve one build: it does not depend on where the stock is.
const test = journeyThrough(async () => {
  await buildApp(shop);
  return startBuiltApp({ app: shop, args: ["--workers", "2"], env: { STOCK: stock } });
});

test("a visitor who sells a lamp sees the new shelf, although the old one was cached and prefetched", async ({
  visit,
}) => {
  const visitor: Visitor = await visit("/");
  await visitor.isAlive();
  await visitor.page.getByRole("link", { name: "Shelf" }).hover();
  await expect.poll(() => visitor.requestsFor("/shelf/_data").at(-1)?.end).toBe("complete");
  const before = Number(readFileSync(stock, "utf8"));
  await visitor.pressButton("Sell");
  await visitor.page.getByText("Sold").waitFor();
  await visitor.clickLink("Shelf");
  await expect.poll(() => visitor.page.locator("h1").textContent()).toContain(`${before - 1} lamps`);
  await visitor.page.reload();
  expect(await visitor.page.locator("h1").textContent()).toContain(`${before - 1} lamps`);
});

test("an action in one process makes every variant new in both", { timeout: 60_000 * rounds }, async ({ app }) => {
  const late: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await fillCaches([app.url], 2);
    const before = Number(readFileSync(stock, "utf8"));
    const sell = async (): Promise<void> => expect((await post(app.url, "/_action/sell")).status).toBe(303);
    late.push(await outdatedMs([app.url], before - 1, sell));
    await expect.poll(() => allShown([app.url]), { timeout: 30_000 }).toEqual(new Set([before - 1]));
    expect((await shown(`${app.url}/shelf`)).decision).toBe("hit");
  }
  keepProof("invalidation-on-one-machine", [
    `${rounds} actions changed what a cached page shows, in one of two processes of one machine, while visitors asked`,
    "for it without a pause. After the response of the action, requests that got the old page still began for so long:",
    `${inWords(late)}. After that every answer of both processes was new.`,
  ]);
});

it("two processes that were started one by one hear of what has changed in one of them", {
  timeout: 120_000,
}, async () => {
  const stock = join(folder, "one-by-one");
  writeFileSync(stock, "5");
  await buildApp(shop);
  await using one = await startBuiltApp({ app: shop, env: { STOCK: stock } });
  const env = { STOCK: stock, HOLDFAST_DATA: one.dataFolder };
  await using two = await startBuiltApp({ app: shop, env });
  const origins = [one.url, two.url];
  await fillCaches(origins, 2);
  for (const [at, origin] of origins.entries()) {
    expect((await post(origin, "/_action/sell")).status).toBe(303);
    await expect.poll(() => allShown(origins), { timeout: 30_000 }).toEqual(new Set([4 - at]));
    await fillCaches(origins, 2);
  }
  await two.kill();
  await two.start();
  await fillCaches(origins, 2);
  expect((await post(one.url, "/_action/sell")).status).toBe(303);
  await expect.poll(() => allShown(origins), { timeout: 30_000 }).toEqual(new Set([2]));
  expect(one.log + two.log).not.toContain("could not be told");
});

it("starts with workers and a process alone hear of what has changed in one of them", {
  timeout: 180_000,
}, async () => {
  const stock = join(folder, "three-starts");
  writeFileSync(stock, "5");
  const args = ["--workers", "2"];
  await buildApp(shop);
  await using one = await startBuiltApp({ app: shop, args, env: { STOCK: stock } });
  const env = { STOCK: stock, HOLDFAST_DATA: one.dataFolder };
  await using two = await startBuiltApp({ app: shop, args, env });
  await using three = await startBuiltApp({ app: shop, env });
  const origins = [one.url, two.url, three.url];
  for (const [at, origin] of origins.entries()) {
    await fillCaches(origins, 5);
    expect((await post(origin, "/_action/sell")).status).toBe(303);
    await expect.poll(() => allShown(origins), { timeout: 30_000 }).toEqual(new Set([4 - at]));
  }
  expect(one.log + two.log + three.log).not.toMatch(/could not be told|do not (?:arrive|reach)/);
});

it("two machines with one database remove what an action or a content system has changed on one of them", {
  timeout: 180_000 * rounds,
}, async () => {
  await using postgres = await startPostgres();
  const stock = join(folder, "two-machines");
  writeFileSync(stock, "5");
  const token = "the token of the content system, long";
  const env = {
    STOCK: stock,
    HOLDFAST_STORE: await postgres.newDatabase(),
    HOLDFAST_SECRET: "the same on both machines, long enough",
    HOLDFAST_INVALIDATE_TOKEN: token,
  };
  const invalidated = (origin: string): Promise<Response> =>
    fetch(`${origin}/_holdfast/invalidate`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ names: ["stock"] }),
    });
  await buildApp(shop);
  const machines = [await startBuiltApp({ app: shop, env }), await startBuiltApp({ app: shop, env })];
  const origins = machines.map(({ url }) => url);
  const [one = "", two = ""] = origins;
  try {
    const late: number[] = [];
    for (let round = 0; round < rounds; round++) {
      writeFileSync(stock, "5");
      expect((await invalidated(two)).status).toBe(200);
      await expect.poll(() => allShown(origins), { timeout: 60_000 }).toEqual(new Set([5]));
      await fillCaches(origins, 2);
      late.push(await outdatedMs(origins, 4, () => post(one, "/_action/sell")));
      await expect.poll(() => allShown(origins), { timeout: 60_000 }).toEqual(new Set([4]));
    }
    keepProof("invalidation-on-two-machines", [
      `${rounds} actions changed what a cached page shows, on one of two machines with one PostgreSQL store, while`,
      "visitors asked both for it without a pause. After the response of the action, requests that got the old page",
      `still began for so long: ${inWords(late)}.`,
      "After that every answer of both machines was new.",
    ]);
    await fillCaches(origins, 2);
    writeFileSync(stock, "3");
    expect(await allShown(origins)).toEqual(new Set([4]));
    const told = await invalidated(two);
    // Document and data are one entry.
    expect([told.status, await told.json()]).toEqual([200, { removed: 3 }]);
    await expect.poll(() => allShown(origins), { timeout: 60_000 }).toEqual(new Set([3]));
  } finally {
    for (const machine of machines) await machine.stop();
  }
});
