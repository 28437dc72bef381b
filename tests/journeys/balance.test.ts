import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { balanceLimits } from "../../src/service/balance/limits.ts";
import { openBalanceDatabase } from "../../src/service/balance/open-balance-database.ts";
import { newBalanceMemory, watchBalance } from "../../src/service/balance/watch-balance.ts";
import { application, faultProxy, journey, type RunningApp, startBuiltApp, type Visitor } from "../kit/index.ts";
import { readerOf } from "../kit/reader-of.ts";

const folder = application({
  "holdfast.config.ts": `export default {
  report: { dsn: process.env.TEST_DSN || undefined, sampleRate: 0 },
  console: { authorize: () => ({ name: "ada@example.org", roles: "owner" }) },
};`,
  "src/pages/index.tsx": `
    import { Link } from "holdfast";
    export default function Home() {
      const noise = () => { throw new Error("ResizeObserver loop limit exceeded"); };
      return <>
        <h1>Home</h1>
        <button type="button" onClick={noise}>Resize</button>
        <Link to="/there">There</Link>
      </>;
    }`,
  "src/pages/there.tsx": `
    import { Link } from "holdfast";
    export default function There() { return <><h1>There</h1><Link to="/">Home</Link></>; }`,
  "src/pages/form.tsx": `
    import { Form } from "holdfast";
    export default function Order({ actions }) {
      return <Form action={actions.order}>{(form) => <>
        {form.errors.map((error) => <p key={error} role="alert">{error}</p>)}
        <button>Order</button>
        <output>{String(form.result)}</output>
      </>}</Form>;
    }`,
  "src/pages/form.server.ts": `
    import { action } from "holdfast/server";
    let times = 0;
    export const actions = {
      order: action({}, () => { if (times++ === 0) throw new Error("no order the first time"); return "ordered"; }),
    };`,
  "src/pages/broken.tsx": `
    import { useState } from "react";
    export default function Broken() {
      const [broken, setBroken] = useState(false);
      if (broken) throw new TypeError("the button broke");
      return <><h1>Broken</h1><button type="button" onClick={() => setBroken(true)}>Break</button></>;
    }`,
  "src/pages/sometimes.tsx": `export default function Sometimes() { return <h1>This time</h1>; }`,
  "src/pages/sometimes.server.ts": `
    import { load } from "holdfast/server";
    let times = 0;
    export const data = load(() => { if (times++ === 0) throw new Error("not the first time"); return {}; });`,
  "src/pages/orders.tsx": `
    import { Form } from "holdfast";
    export default function Orders({ actions }) {
      return <Form action={actions.order}><button>Order</button></Form>;
    }`,
  "src/pages/orders.server.ts": `
    import { action } from "holdfast/server";
    export const actions = {
      order: action({}, () => "ordered"),
      stuck: action({ timeout: 600 }, () => new Promise(() => undefined)),
      safe: action({ timeout: 600, keeps: true }, () => new Promise(() => undefined)),
    };`,
  "src/pages/failing.tsx": `export default function Failing() { return null; }`,
  "src/pages/failing.server.ts": `
    import { load } from "holdfast/server";
    export const data = load(() => { throw new Error("failing to load"); });`,
});

const test = journey({ app: folder });
const digestPattern = /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/;

/** The same comparison that the service makes every ten seconds, two hours later. */
async function twoHoursLater({ dataFolder }: RunningApp): Promise<readonly string[]> {
  const reader = await readerOf({ dataFolder });
  const rows = openBalanceDatabase(join(dataFolder, "data"));
  const named: string[] = [];
  const memory = newBalanceMemory();
  const deps = {
    store: { ...reader, lease: async () => true, setStuck: async () => undefined, change: async () => [] },
    rows: () => rows,
    inTurn: <Result>(work: () => Promise<Result>) => work(),
    report: async (_: number, envelope: Uint8Array) => {
      const [, , event = "{}"] = new TextDecoder().decode(envelope).split("\n");
      const { digests, entries } = JSON.parse(event).extra;
      named.push(...(digests ?? entries.map(({ route, name }: Record<string, string>) => `${name} of ${route}`)));
    },
    hasFiledAll: () => true,
    limits: balanceLimits,
    memory,
  };
  const later = Date.now() + 2 * 3_600_000;
  for (const now of [later, later + balanceLimits.pauseMs, later + 2 * balanceLimits.pauseMs])
    await watchBalance({ ...deps, clock: { now: () => now, elapsed: () => now } });
  await rows.close();
  reader.close();
  return named;
}

async function balanceSays(operator: Visitor, text: string | RegExp): Promise<void> {
  await expect
    .poll(async () => {
      await operator.page.reload();
      return operator.page.locator("main").textContent();
    })
    .toMatch(text);
}

test("a visitor who tries again and gets through is counted as such, and the books are level", async ({
  app,
  visit,
}) => {
  const visitor = await visit("/sometimes");
  visitor.expecting(/500/);
  const digest = await visitor.digestShown();
  expect(digest).toMatch(digestPattern);
  await visitor.page.waitForFunction(() => localStorage.getItem("holdfast-shown") !== null);
  await visitor.page.reload();
  await visitor.sees("This time");
  const operator = await visit("/_holdfast/1/balance");
  await balanceSays(operator, "1 visitor saw an error page in the last 24 hours: 1 tried again and got through");
  await balanceSays(operator, /1 \/ 1.*✓ level so far/);
  expect(await twoHoursLater(app)).toEqual([]);
});

test("a report that is swallowed on its way is named by its digest, and one that a rule left out by the rule", async ({
  app,
  proxy,
  visit,
}) => {
  const visitor = await visit("/broken");
  // The visit is known, and the reporter has loaded.
  await expect.poll(() => proxy.requestsFor(/_holdfast\/post/).length).toBeGreaterThan(0);
  // The crash of the visit, and the event: somebody in between says that they have arrived.
  const swallowed = proxy.when("/_holdfast/post").times(2).answer(200, "{}");
  await visitor.pressButton("Break");
  const digest = (await visitor.digestShown()) ?? "";
  await swallowed.taken(2);
  await visitor.goTo("/");
  visitor.expecting(/ResizeObserver/);
  // The button does nothing before the page is hydrated.
  await visitor.isAwake();
  const thrown = visitor.page.waitForEvent("pageerror");
  await visitor.pressButton("Resize");
  await thrown;
  await visitor.goTo("/sometimes");
  const operator = await visit("/_holdfast/1/balance");
  await balanceSays(operator, `1 error page being looked for: ${digest}`);
  await balanceSays(operator, "1 error left out by resize-observer");
  expect(await twoHoursLater(app)).toEqual([digest]);
});

test("an event that is lost with a killed process is named by the process that takes over its books", async ({
  app,
  visit,
}) => {
  await using proxy = await faultProxy(app.url);
  const [{ publicKey }] = JSON.parse(readFileSync(join(app.dataFolder, "data/projects.json"), "utf8"));
  const dsn = new URL("/_holdfast/1", proxy.url);
  dsn.username = publicKey;
  await using remote = await startBuiltApp({ app: folder, env: { TEST_DSN: dsn.href } });
  const unreachable = proxy.when(/envelope/).answer(503);
  const [digest = ""] = digestPattern.exec(await (await fetch(`${remote.url}/failing`)).text()) ?? [];
  await unreachable.taken(1);
  await remote.kill();
  const outbox = join(remote.dataFolder, "outbox");
  for (const name of readdirSync(outbox)) if (/^\d/.test(name)) rmSync(join(outbox, name), { recursive: true });
  proxy.healed();
  await remote.start();
  const operator = await visit("/_holdfast/1/balance");
  await balanceSays(operator, digest);
  expect(await twoHoursLater(app)).toContain(digest);
});

test("a submission whose process is killed while its action runs is named in the balance, and one that is kept is not", async ({
  app,
  visit,
}) => {
  const operator = await visit("/_holdfast/1/balance");
  const send = (action: string) =>
    fetch(`${app.url}/orders/_action/${action}`, { method: "POST", body: new URLSearchParams({ a: "1" }) });
  await (await send("order")).text();
  const cut = [send("stuck"), send("safe")].map((one) => one.catch(() => undefined));
  const ledger = (): string => {
    const folder = join(app.dataFolder, "outbox/ledger");
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
  };
  await expect.poll(ledger).toMatch(/"name":"stuck"/);
  // A line of its own, or the entry's state when the ledger was rewritten meanwhile.
  await expect.poll(ledger).toMatch(/"kept":|"state":"kept"/);
  await operator.page.goto("about:blank");
  await app.kill();
  await Promise.all(cut);
  await app.start();
  await operator.goTo("/_holdfast/1/balance");
  await balanceSays(operator, "1 submission being looked for: stuck of /orders");
  const named = await twoHoursLater(app);
  expect(named).toContain("stuck of /orders");
  expect(named).not.toContain("safe of /orders");
});

test("a navigation whose end is swallowed is named in the balance, and those that end are not", async ({
  app,
  visit,
}) => {
  const visitor = await visit("/there");
  await visitor.isAwake();
  await visitor.clickLink("Home");
  await visitor.sees("Home");
  await visitor.page.goto("about:blank");
  const unlucky = await visit("/there");
  // The signal of an end goes elsewhere, as a bug of ours would let it.
  await unlucky.page.route(/_assets\/later-/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/(["'`])navigationEnded\1/, "$1dataRequested$1");
    await route.fulfill({ response: answer, body });
  });
  await unlucky.goTo("/");
  await unlucky.isAwake();
  for (const name of ["There", "Home"]) {
    await unlucky.clickLink(name);
    await unlucky.sees(name);
  }
  await unlucky.page.goto("about:blank");
  const operator = await visit("/_holdfast/1/balance");
  await balanceSays(operator, /1 navigation being looked for: .* to \/there/);
  const named = await twoHoursLater(app);
  expect(named.filter((one) => one.startsWith("/"))).toEqual([expect.stringMatching(/^\/there of \//)]);
});

test("what a visitor did after the error of a form is known from its next result", async ({ app, visit }) => {
  const visitor = (await visit("/form")).expecting(/500/);
  await visitor.isAwake();
  await visitor.pressButton("Order");
  await visitor.page.waitForFunction(() => localStorage.getItem("holdfast-shown") !== null);
  const digest = (await visitor.digestShown()) ?? "";
  const rows = openBalanceDatabase(join(app.dataFolder, "data"));
  const known = () => rows.one("SELECT side, next FROM holdfast.balance_page WHERE digest = $1", digest);
  // The page alone says nothing.
  await visitor.page.reload();
  await visitor.isAwake();
  await expect.poll(known).toMatchObject({ side: "browser", next: null });
  await visitor.pressButton("Order");
  await expect.poll(known).toMatchObject({ side: "browser", next: "through" });
  await rows.close();
});
