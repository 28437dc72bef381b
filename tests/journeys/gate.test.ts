import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished } from "vitest";
import { root } from "../../scripts/root.js";
import { freePort } from "../kit/free-ports.ts";
import { application, inLongRuns, journey, RunningApp, receiver, runHoldfast, startBuiltApp } from "../kit/index.ts";
import { childrenOf, commandOf, descendantsOf } from "../kit/processes-of.ts";
import { readerOf } from "../kit/reader-of.ts";
import { postForm } from "./console/forms.ts";

/**
 * `BUGS`, or the file that `BUGS_IN` names, says what fails, so that one build is the old one and the new one, with and
 * without its fixes.
 */
const files = {
  "package.json": '{ "type": "module", "private": true }',
  "holdfast.config.ts": `export default {
    console: { authorize: () => ({ name: "ada", roles: "owner" }) },
    report: process.env.ELSEWHERE ? { dsn: process.env.ELSEWHERE } : {},
  };`,
  "src/bugs.server.ts": `
    import { readFileSync } from "node:fs";
    const { BUGS = "", BUGS_IN } = process.env;
    export const has = (bug: string) => (BUGS_IN ? readFileSync(BUGS_IN, "utf8") : BUGS).split(",").includes(bug);`,
  "src/pages/index.tsx": `
    export default function Home() {
      return <><h1>Shop</h1><button onClick={() => { throw new Error("only in a browser"); }}>Break</button></>;
    }`,
  "src/pages/orders/[id].tsx": "export default () => <h1>Order</h1>;",
  "src/pages/orders/[id].server.ts": `
    import { load } from "holdfast/server";
    import { has } from "../../bugs.server.ts";
    const find = (id: string) => { throw new RangeError("no order " + id); };
    export const data = load("/orders/[id]", ({ params }) => {
      if (has("orders")) find(params.id);
      if (has("endless")) return new Promise<{ id: string }>(() => undefined);
      if (has("another")) throw new TypeError("prices are unknown");
      return { id: params.id };
    });`,
  "src/pages/stock.tsx": "export default () => <h1>Stock</h1>;",
  "src/pages/stock.server.ts": `
    import { load } from "holdfast/server";
    import { has } from "../bugs.server.ts";
    export const data = load("/stock", () => { if (has("stock")) throw new Error("no stock"); return {}; });`,
  "src/pages/pay.tsx": "export default () => <h1>Pay</h1>;",
  "src/pages/pay.server.ts": `
    import { appendFileSync } from "node:fs";
    import { action } from "holdfast/server";
    export const actions = { pay: action({}, () => {
      if (process.env.PAID) appendFileSync(process.env.PAID, "paid");
      throw new Error("paying failed");
    }) };`,
  "src/pages/account.tsx": "export default () => <h1>Account</h1>;",
  "src/pages/account.server.ts": `
    import { load, redirect } from "holdfast/server";
    export const data = load("/account", ({ headers }) => {
      if (headers.get("cookie") === null) redirect("/");
      throw new Error("no account");
    });`,
};
const folder = application(files);
const test = journey({ app: folder, env: { BUGS: "orders,stock" } });

interface Gated {
  verdict: string;
  issues: { title: string; request?: string; outcome: { kind: string; why?: string } }[];
}

/** Runs the gate for a build with these bugs, beside the server in service. */
async function gate(app: RunningApp, bugs: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  return runHoldfast(["gate", join(root, folder), "--data", app.dataFolder, ...args], { BUGS: bugs, ...env });
}

async function outcomes(app: RunningApp, bugs: string) {
  const { code, log } = await gate(app, bugs, ["--json"]);
  const { verdict, issues }: Gated = JSON.parse(log);
  return {
    code,
    verdict,
    by: Object.fromEntries(issues.map(({ title, outcome }) => [title, outcome.why ?? outcome.kind])),
  };
}

/** Titles of the issues of the server in service, with the number of events of each. */
async function issuesOf(app: RunningApp): Promise<Record<string, number>> {
  const store = await readerOf(app);
  const filter = { states: [], terms: [], words: [] };
  const { issues } = await store.issues({ project: 1, filter, sort: "first-seen", limit: 50 });
  store.close();
  // A loaded machine may report stalls of the server meanwhile.
  const ofPages = issues.filter(({ type }) => type !== "Stall");
  return Object.fromEntries(ofPages.map(({ title, events }) => [title, events]));
}

/** Visitors meet every error once; one is said to be fixed. */
async function someIssues(app: RunningApp): Promise<Record<string, number>> {
  const known = await issuesOf(app).catch(() => ({}));
  if ("no order 7" in known) return known;
  for (const path of ["/orders/7?from=list", "/stock"]) expect((await fetch(app.url + path)).status).toBe(500);
  expect((await fetch(`${app.url}/account`, { headers: { cookie: "session=1" } })).status).toBe(500);
  const paid = await fetch(`${app.url}/pay/_action/pay`, {
    method: "POST",
    headers: { origin: app.url },
    body: new URLSearchParams({ amount: "7" }),
  });
  expect(paid.status).toBe(500);
  const met = { "no order 7": 1, "no stock": 1, "no account": 1, "paying failed": 1 };
  await expect.poll(() => issuesOf(app), { timeout: 30_000 }).toMatchObject(met);
  const store = await readerOf(app);
  const filter = { states: [], terms: [], words: [{ text: "no order", not: false }] };
  const [issue] = (await store.issues({ project: 1, filter, sort: "first-seen", limit: 1 })).issues;
  store.close();
  await postForm(app, `/issues/${issue?.number}/_action/change`, { do: "resolve" });
  return issuesOf(app);
}

/** Starts the new build beside the server in service. Resolves with what it said about its readiness until it ended. */
async function startGated(app: RunningApp, args: readonly string[], env: Record<string, string>) {
  const port = await freePort();
  const words = ["start", join(root, folder), "--gate", "--port", String(port), "--host", "127.0.0.1", ...args];
  let hasEnded = false;
  const running = runHoldfast(words, { HOLDFAST_DATA: app.dataFolder, ...env }).finally(() => {
    hasEnded = true;
  });
  const said = new Set<string>();
  while (!hasEnded) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer) said.add(`${answer.status} ${await answer.text().catch(() => "")}`);
    await wait(20);
  }
  return { ...(await running), said: [...said] };
}

/** Then the build counts as a new one. */
function forgetPassed({ dataFolder }: RunningApp): void {
  rmSync(join(dataFolder, "gate-passed.json"), { force: true });
}

describe("the gate", { timeout: 180_000 }, () => {
  test("stops a build whose fix does not hold, says why of everything else, and files nothing", async ({ app }) => {
    const before = await someIssues(app);
    const paid = join(mkdtempSync(join(tmpdir(), "holdfast-gate-test-")), "paid");
    onTestFinished(() => rmSync(join(paid, ".."), { recursive: true, force: true }));
    const elsewhere = await receiver();
    onTestFinished(() => elsewhere.stop());
    const env = { PAID: paid, ELSEWHERE: elsewhere.dsn };
    const { code, log } = await gate(app, "orders,stock", ["--summary", `${paid}.md`], env);
    expect(log).toMatch(/^STOP +#\d+ +fixed and still failing +GET \/orders\/7\?from=list +RangeError: no order 7$/m);
    expect(log).toMatch(/ open, still failing +GET \/stock +Error: no stock$/m);
    expect(log).toMatch(/ not replayed +POST \/pay\/_action\/pay +Error: paying failed +\(a write \(POST\)\)$/m);
    expect(log).toMatch(/ not replayed +GET \/account .*\(it leads to \/, as for a visitor without a session\)$/m);
    expect(log).toMatch(/^The gate stopped release \S+: #\d+ is said to be fixed and still fails/m);
    expect(code).toBe(1);
    expect(readFileSync(`${paid}.md`, "utf8")).toMatch(/\| stop \| #\d+ \| fixed and still failing \|/);
    expect(() => readFileSync(paid)).toThrow();
    expect(elsewhere.raw).toEqual([]);
    expect(await issuesOf(app)).toEqual(before);
  });

  test("passes a build with the fix, and names open issues that no longer fail", async ({ app }) => {
    await someIssues(app);
    expect(await outcomes(app, "")).toMatchObject({
      code: 0,
      verdict: "passed",
      by: { "RangeError: no order 7": "fixed-and-passing", "Error: no stock": "open-passes-now" },
    });
  });

  test("stops a build that fails in a way that no issue has", async ({ app }) => {
    await someIssues(app);
    expect(await outcomes(app, "another")).toMatchObject({
      code: 1,
      by: { "RangeError: no order 7": "new-failure", "Error: no stock": "open-passes-now" },
    });
  });

  test("says of an error that happened in a browser that no request repeats it", async ({ app, visit }) => {
    const visitor = await visit("/");
    visitor.expecting(/only in a browser/);
    await visitor.isAlive();
    await visitor.pressButton("Break");
    await expect.poll(() => issuesOf(app), { timeout: 30_000 }).toMatchObject({ "only in a browser": 1 });
    const { by } = await outcomes(app, "");
    expect(by["Error: only in a browser"]).toBe("it happened in a browser, and no request to the server repeats it");
  });

  test("replays writes only where a sandbox is declared", async ({ app }) => {
    await someIssues(app);
    const refused = await gate(app, "", ["--writes"]);
    expect(refused.log).toContain("[gate-without-sandbox]");
    expect(refused.code).toBe(2);
    const { code, log } = await gate(app, "", ["--writes"], { HOLDFAST_SANDBOX: "1" });
    expect(log).toMatch(/ open, still failing +POST \/pay\/_action\/pay /m);
    expect(code).toBe(0);
  });

  test("start --gate ends with 1 and is never ready if a fix does not hold, and reports that once", async ({ app }) => {
    await someIssues(app);
    const starts = [[], ...inLongRuns(["--workers", "2"])];
    for (const args of starts) {
      const { code, log, said } = await startGated(app, args, { BUGS: "orders,stock" });
      expect(log.match(/^STOP .*fixed and still failing/gm)).toHaveLength(1);
      expect(log).toContain("[gate-stopped]");
      expect(code).toBe(1);
      expect(said).toContain("503 not ready\nthe gate replays the requests of known issues\n");
      expect(said.filter((one) => one.startsWith("200"))).toEqual([]);
    }
    const reported = async () =>
      Object.entries(await issuesOf(app)).filter(([title]) => title.startsWith("The gate stopped release "));
    await expect.poll(reported, { timeout: 30_000 }).toEqual([[expect.anything(), starts.length]]);
  });

  test("start --gate is ready once the fix holds, and never judges a build again that has passed", async ({ app }) => {
    await someIssues(app);
    const env = { BUGS: "stock", HOLDFAST_DATA: app.dataFolder };
    const passed = await startBuiltApp({ app: folder, args: ["--gate", "--workers", "2"], env });
    await passed.stop();
    expect(passed.log).toMatch(/ fixed and passing +GET \/orders\/7/);
    expect(passed.log.match(/^The gate passed release /gm)).toHaveLength(1);
    const again = await startBuiltApp({ app: folder, args: ["--gate"], env: { ...env, BUGS: "orders" } });
    await again.stop();
    expect(again.log).toContain("This build has passed the gate before");
  });

  test("a reload whose build the gate stops leaves the old processes in service", async ({ app }) => {
    await someIssues(app);
    const bugs = join(mkdtempSync(join(tmpdir(), "holdfast-gate-test-")), "bugs");
    onTestFinished(() => rmSync(join(bugs, ".."), { recursive: true, force: true }));
    writeFileSync(bugs, "stock");
    const env = { BUGS_IN: bugs, HOLDFAST_DATA: app.dataFolder };
    const served = await startBuiltApp({ app: folder, args: ["--gate", "--workers", "2"], env });
    onTestFinished(() => served.stop());
    const before = childrenOf(served.pid);
    writeFileSync(bugs, "orders");
    forgetPassed(app);
    process.kill(served.pid, "SIGHUP");
    await expect.poll(() => served.log, { timeout: 60_000 }).toContain("A new server process did not start");
    expect(served.log).toMatch(/^STOP .*fixed and still failing/m);
    expect(childrenOf(served.pid)).toEqual(before);
    // One that crashes later comes back: there is no other build to run.
    process.kill(before[0] ?? 0, "SIGKILL");
    await expect.poll(() => childrenOf(served.pid).filter((pid) => !before.includes(pid))).toHaveLength(1);
    process.kill(before[1] ?? 0, "SIGKILL");
    const isReady = (): Promise<boolean> =>
      // A connection that was on its way to the killed process gets no answer.
      fetch(`${served.url}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isReady, { timeout: 30_000 }).toBe(true);
  });

  test.for([["--workers", "2"], ...inLongRuns([])])(
    "SIGTERM ends a start whose gate is at work, and the gate (%o)",
    async (args, { app }) => {
      await someIssues(app);
      forgetPassed(app);
      const env = { BUGS: "endless", HOLDFAST_DATA: app.dataFolder };
      const gated = new RunningApp({ app: folder, args: ["--gate", ...args], env }, await freePort());
      const starting = gated.start().catch(String);
      const gates = (): number[] => descendantsOf(gated.pid).filter((pid) => commandOf(pid).includes(" gate "));
      await expect.poll(gates, { timeout: 30_000 }).toHaveLength(1);
      const all = gates();
      // Fails if it does not end long before the request that the gate waits for.
      await gated.stop();
      expect(await starting).toContain("ended before it was ready");
      await expect.poll(() => all.map(commandOf)).toEqual([""]);
    },
  );

  test("says that it could not run, without a build, without issues to read, or with a wrong option", async ({
    app,
  }) => {
    const unbuilt = application({ ...files, "unbuilt.txt": "This folder is never built." });
    const empty = mkdtempSync(join(tmpdir(), "holdfast-gate-test-"));
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
    for (const [args, why] of [
      [[join(root, unbuilt), "--data", app.dataFolder], "[not-built]"],
      [[join(root, folder), "--data", empty], "[gate-without-store]"],
      [[join(root, folder), "--unknown"], "Unknown option '--unknown'"],
    ] as const) {
      const { code, log } = await runHoldfast(["gate", ...args]);
      expect(log).toContain("The gate could not run: ");
      expect(log).toContain(why);
      expect(code).toBe(2);
    }
  });
});
