import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { application, journey, startApp, type Visitor } from "../kit/index.ts";
import { startPostgres } from "../kit/postgres.ts";

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

const post = (origin: string, path: string): Promise<Response> =>
  fetch(origin + path, {
    method: "POST",
    body: new URLSearchParams({ x: "1" }),
    headers: { origin },
    redirect: "manual",
  });

const stock = join(folder, "two-processes");
writeFileSync(stock, "9");
const test = journey({ app: shop, args: ["--workers", "2"], env: { STOCK: stock, HOLDFAST_DRAIN_SECONDS: "0" } });

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

test("an action in one process makes every variant new in both", async ({ app }) => {
  await fillCaches([app.url], 2);
  const before = Number(readFileSync(stock, "utf8"));
  expect((await post(app.url, "/_action/sell")).status).toBe(303);
  await expect.poll(() => allShown([app.url]), { timeout: 30_000 }).toEqual(new Set([before - 1]));
  expect((await shown(`${app.url}/shelf`)).decision).toBe("hit");
});

it("two machines with one database remove what an action or a content system has changed on one of them", {
  timeout: 180_000,
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
  const machines = [await startApp({ app: shop, env }), await startApp({ app: shop, env })];
  const origins = machines.map(({ url }) => url);
  const [one = "", two = ""] = origins;
  try {
    await fillCaches(origins, 2);
    await post(one, "/_action/sell");
    await expect.poll(() => allShown(origins), { timeout: 60_000 }).toEqual(new Set([4]));
    await fillCaches(origins, 2);
    writeFileSync(stock, "3");
    expect(await allShown(origins)).toEqual(new Set([4]));
    const told = await fetch(`${two}/_holdfast/invalidate`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ names: ["stock"] }),
    });
    // Document and data are one entry.
    expect([told.status, await told.json()]).toEqual([200, { removed: 3 }]);
    await expect.poll(() => allShown(origins), { timeout: 60_000 }).toEqual(new Set([3]));
  } finally {
    for (const machine of machines) await machine.stop();
  }
});
