import { expect } from "vitest";
import { application, journeyThrough, startApp } from "../../kit/index.ts";

/** Takes its release from the environment, as a deployment sets it. */
const shop = application({
  "holdfast.config.ts": `export default {
  report: { release: process.env.SHOP_RELEASE },
  console: { authorize: () => ({ name: "ada@example.org", roles: "owner" }) },
};`,
  "src/pages/index.tsx": `export default function Home() { return <h1>Shop</h1>; }`,
  "src/pages/cart.tsx": `export default function Cart({ data }: { data: { total: number } }) { return <h1>{data.total}</h1>; }`,
  "src/pages/cart.server.ts": `import { load } from "holdfast/server";
import { totalOf } from "../server/total-of.ts";

export const data = load(() => ({ total: totalOf(undefined as never) }));`,
  "src/server/total-of.ts": `export interface Cart {
  items: readonly { price: number }[];
}

/** What the visitor pays. */
export function totalOf(cart: Cart): number {
  return cart.items.reduce((sum, item) => sum + item.price, 0);
}`,
});

const env = { SHOP_RELEASE: "1.0.0" };
const test = journeyThrough(() => startApp({ app: shop, env }));

/** An application is built, started twice and inspected meanwhile. */
const withinMs = 180_000;

test("a digest that a visitor reads leads to the line that failed; resolved in the next release, the issue regresses in it", {
  timeout: withinMs,
}, async ({ app, visit }) => {
  const customer = await visit("/cart");
  customer.expecting(/500/);
  const digest = (await customer.digestShown()) ?? "";
  expect(digest).not.toBe("");

  // The search answers once, and a busy machine has not filed the event yet.
  await eventsOfIssue(app.url, 1);
  const operator = await visit("/_holdfast");
  const box = operator.page.getByRole("combobox", { name: /^Find/ });
  await box.fill(digest.toLowerCase());
  await box.press("Enter");
  await operator.sees(/^TypeError: Cannot read properties of undefined/);
  expect(await operator.digestShown()).toBe(digest);
  const source = operator.page.getByRole("region", { name: "Source of src/server/total-of.ts" });
  expect(await source.textContent()).toContain("export function totalOf(cart: Cart): number {");
  expect(await source.locator(".fails").textContent()).toContain("▸7  return cart.items.reduce(");

  await operator.clickLink(/^Issue #/);
  await operator.pressButton("Resolve in next release");
  await operator.page.locator(".state.resolved").first().waitFor();

  // Visitors of the previous release say nothing about the fix.
  await throwAgain(app.url);
  await eventsOfIssue(app.url, 2);
  await operator.page.reload();
  await operator.page.locator(".state.resolved").first().waitFor();

  env.SHOP_RELEASE = "1.0.1";
  await app.restart();
  await throwAgain(app.url);
  await eventsOfIssue(app.url, 3);
  await operator.page.reload();
  await operator.page.locator(".state.regressed").first().waitFor();
  await operator.page.getByText(/^It came back in 1\.0\.1, /).waitFor();
  await operator.clickLink("1.0.1");
  await operator.page.getByText("Its stacks can be read").waitFor();
  await operator.clickLink("Releases");
  await operator.sees("Releases");
  // Not by reloads of the page: one that interrupts the console's own scripts may be reported, and counts as a file.
  const mapsOfRelease = async (): Promise<string | undefined> => {
    const list = await (await fetch(`${app.url}/_holdfast/1/releases`)).text();
    return /1\.0\.1<.*?data-label="Source maps">(.*?)<\/td>/s.exec(list)?.[1]?.replaceAll(/<[^>]*>/g, "");
  };
  await expect.poll(mapsOfRelease).toMatch(/^✓ all \d/);
});

test("a thousand failures of one bug are one issue, a thousand events and a thousand digests, and each opens its own event", {
  timeout: withinMs,
}, async ({ app }) => {
  const failures = 1_000;
  const before = await eventsOfIssue(app.url, 1);
  const digests = await inParallel(failures, () => throwAgain(app.url));
  expect(new Set(digests).size).toBe(failures);
  await eventsOfIssue(app.url, before + failures);
  expect(await issuesOfTheBug(app.url)).toHaveLength(1);
  const opened = await inParallel(failures, async (index) => {
    const event = await fetch(`${app.url}/_holdfast/1/event/${digests[index]}.json`);
    const { digest, id }: { digest: string; id: string } = await event.json();
    return { digest, id };
  });
  expect(opened.map(({ digest }) => digest)).toEqual(digests);
  expect(new Set(opened.map(({ id }) => id)).size).toBe(failures);
});

/** Returns the digest that its visitor reads. */
async function throwAgain(url: string): Promise<string> {
  const page = await (await fetch(`${url}/cart`)).text();
  const digest = /\b[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){2}\b/.exec(page)?.[0];
  if (digest === undefined) throw new Error("The error page shows no digest.");
  return digest;
}

/** Numbers of the bug's issues. A busy machine may have others, for example for a blocked event loop. */
async function issuesOfTheBug(url: string): Promise<string[]> {
  const list = await (await fetch(`${url}/_holdfast/1/issues?tab=all&q=type:TypeError`)).text();
  return [...list.matchAll(/id="issue-(\d+)"/g)].map(([, number = ""]) => number);
}

/** Waits until at least this many are filed. Returns their number. */
async function eventsOfIssue(url: string, least: number): Promise<number> {
  const counted = async (): Promise<number> => {
    const [number] = await issuesOfTheBug(url);
    const page = await (await fetch(`${url}/_holdfast/1/issues/${number}`)).text();
    return Number(/Events<\/dt><dd[^>]*>([\d,]+)</.exec(page)?.[1]?.replaceAll(",", ""));
  };
  await expect.poll(counted, { timeout: 30_000 }).toBeGreaterThanOrEqual(least);
  return await counted();
}

/** A few at a time, like a busy hour. */
async function inParallel<T>(count: number, task: (index: number) => Promise<T>): Promise<T[]> {
  const results = new Array<T>(count);
  let next = 0;
  const walk = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await task(index);
  };
  await Promise.all(Array.from({ length: 8 }, walk));
  return results;
}
