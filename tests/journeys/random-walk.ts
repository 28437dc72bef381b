import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { type FaultProxy, faultProxy, Visitor } from "../kit/index.ts";
import { randomFrom } from "../kit/random-from.ts";

/**
 * Simulates a visitor who clicks about during random faults, by a seeded schedule of actions and faults. After each
 * action the visitor must reach an end within the limit: a page that fits the address, an error page, or a page that
 * says the connection is lost.
 */
export interface WalkReport {
  seed: number;
  /** Steps in order, for the analysis of a failure. */
  steps: string[];
  /** Empty if every action had an end. */
  deadEnds: string[];
  fullLoads: string[];
  /** End of each action, as the visitor sees it. */
  ends: End[];
  slowestMs: number;
}

export type End =
  | "the page"
  | "the not-found page"
  | "the error page"
  | "connection lost"
  | "the browser's own page"
  | "the page before the application";

/** 3.8 s of silence, 2 s for an unanswered probe on a busy machine, 5 s for a full load that does not start. */
const boundMs = 3_800 + 2_000 + 5_000;

/** Without any fault, what has not arrived by then never will, on any machine. */
export const forEverMs = 30_000;

const stepsPerWalk = 5;

/** Twice the delay after which a pending navigation is shown. */
const settledMs = 300;

/** Links that are on every page, and the heading of each target. */
const links: readonly [name: string, path: string, heading: string][] = [
  ["Home", "/", "Home"],
  ["Orders", "/orders", "Orders"],
  ["Tall", "/tall", "Tall"],
  ["Late", "/late", "Late"],
  ["Rows", "/rows", "Rows"],
  ["Plain", "/plain", "Plain"],
  ["Moved", "/moved", "Orders"],
  ["Gone", "/gone", "Page not found"],
  ["Broken", "/broken", "Application error"],
  ["Download", "/export", ""],
  ["Nothing", "/empty", ""],
  ["Desk", "/desk", "Desk"],
  ["Dialog", "/desk/1", "Note 1"],
  ["Shelf", "/shelf", "Shelf"],
  ["Region", "/shelf/3", "Book 3"],
];
const endings = new Map([...links.map(([, path, heading]) => [path, heading] as const)]);

/** The look of a page is not tested. An animated bar in twenty windows would take CPU time from the walks. */
export const cheapToDraw: BrowserContextOptions = { viewport: { width: 640, height: 480 }, reducedMotion: "reduce" };

export async function randomWalk(
  seed: number,
  browser: Browser,
  builds: readonly [string, string],
): Promise<WalkReport> {
  const dice = createDice(seed);
  await using balancer = await openBalancer(builds[0]);
  await using proxy = await faultProxy(balancer.url);
  const context = await browser.newContext(cheapToDraw);
  const visitor = new Visitor(await context.newPage(), proxy);
  const report: WalkReport = { seed, steps: [], deadEnds: [], fullLoads: [], ends: [], slowestMs: 0 };
  try {
    await visitor.goTo("/");
    for (let step = 0; step < stepsPerWalk; step++) {
      breakSomething(dice, proxy, balancer, builds, report);
      await act(dice, visitor, report);
      await judge(visitor, report);
    }
    // All faults have ended: the visitor must reach any page.
    proxy.healed();
    await proxy.online();
    // The browser itself followed a link to a file, or a step back to another document, and may show its error page.
    if (isOutside(visitor.page)) await visitor.goTo("/");
    report.steps.push("healed, click Tall");
    await follow(visitor, "Tall");
    await arrivesAt(visitor, "Tall");
    report.fullLoads = await visitor.page.evaluate(() => {
      const ledger: { reason: string }[] = JSON.parse(sessionStorage.getItem("holdfast-full-loads") ?? "[]");
      return ledger.map(({ reason }) => reason);
    });
    if (visitor.documentsLoaded > 15) report.deadEnds.push(`${visitor.documentsLoaded} documents were loaded`);
  } catch (error) {
    const left = `"${await visitor.page
      .locator("h1")
      .first()
      .textContent({ timeout: 1_000 })
      .catch(() => "nothing")}" at ${visitor.page.url()}`;
    report.deadEnds.push(
      `at the end: ${error instanceof Error ? error.message.split("\n")[0] : error}; left with ${left}`,
    );
  } finally {
    await context.close();
  }
  return report;
}

export type Dice = ReturnType<typeof createDice>;

export function createDice(seed: number) {
  const roll = randomFrom(seed);
  return {
    under: (limit: number): number => Math.floor(roll() * limit),
    pick: <Thing>(things: readonly Thing[]): Thing => things[Math.floor(roll() * things.length)] as Thing,
  };
}

function breakSomething(
  dice: Dice,
  proxy: FaultProxy,
  balancer: Balancer,
  builds: readonly [string, string],
  report: WalkReport,
): void {
  const what = dice.pick([/_data/, /_assets/, /_data|_assets/, /healthz/]);
  const faults: Record<string, () => unknown> = {
    nothing: () => undefined,
    "all is well": () => proxy.healed(),
    [`${what} hangs`]: () =>
      proxy
        .when(what)
        .times(1 + dice.under(2))
        .hang(),
    [`${what} is torn`]: () => proxy.when(what).times(2).drop(),
    [`${what} is slow`]: () => proxy.when(what).delay(dice.under(1_500)),
    [`${what} is cut`]: () => proxy.when(what).times(2).cutAfter(dice.under(120)),
    [`${what} stalls`]: () => proxy.when(what).times(1).stallAfter(dice.under(120)),
    [`${what} is missing`]: () => proxy.when(what).times(2).answer(404, "<h1>No</h1>", { "content-type": "text/html" }),
    "data is a portal": () =>
      proxy.when(/_data/).times(1).answer(200, "<h1>Portal</h1>", { "content-type": "text/html" }),
    "a short outage": () =>
      void proxy
        .offline()
        .then(() => wait(200 + dice.under(1_500)))
        .then(() => proxy.online()),
    "a deploy": () => balancer.switchTo(dice.pick(builds)),
  };
  const name = dice.pick(Object.keys(faults));
  report.steps.push(name);
  faults[name]?.();
}

async function act(dice: Dice, visitor: Visitor, report: WalkReport): Promise<void> {
  const { page } = visitor;
  const click = (name: string) => follow(visitor, name);
  const [first, second] = [dice.pick(links)[0], dice.pick(links)[0]];
  const actions: Record<string, () => Promise<unknown>> = {
    [`click ${first}`]: () => click(first),
    [`click ${first}, then ${second}`]: async () => {
      await click(first);
      await page.waitForTimeout(dice.under(300));
      await click(second);
    },
    [`hover, click ${second}`]: async () => {
      await page.locator("a").first().hover({ timeout: 10_000 });
      await page.waitForTimeout(dice.under(200));
      await click(second);
    },
    // Not out of the application, whose earlier entries are foreign.
    back: () => page.evaluate(() => void (navigation.canGoBack && history.back())),
    forward: () => page.evaluate(() => void (navigation.canGoForward && history.forward())),
    [`click ${first}, Escape`]: async () => {
      await click(first);
      await page.keyboard.press("Escape");
    },
    "click Dialog": () => click("Dialog"),
    "click Dialog, back": async () => {
      await click("Dialog");
      await page.waitForTimeout(dice.under(300));
      await page.evaluate(() => void (navigation.canGoBack && history.back()));
    },
    "click Region": () => click("Region"),
    "click Desk, press Drawer": async () => {
      await click("Desk");
      await page.getByRole("button", { name: /^Drawer/ }).click({ timeout: boundMs });
    },
    "click Rows, scroll": () => scrollRows(visitor),
    "click Rows, scroll, click Tall, back": async () => {
      await scrollRows(visitor);
      await click("Tall");
      await page.waitForTimeout(dice.under(300));
      await page.evaluate(() => void (navigation.canGoBack && history.back()));
    },
    reload: () => page.reload({ timeout: boundMs }),
  };
  const name = dice.pick(Object.keys(actions));
  report.steps.push(name);
  try {
    if (page.url() === beforeApplication) await page.goForward({ timeout: boundMs });
    await actions[name]?.();
  } catch (error) {
    // A document is being replaced, or a link is not on this page. Only the end counts.
    report.steps.push(`(${error instanceof Error ? error.message.split("\n")[0] : error})`);
  }
}

/** The list loads its next pages meanwhile. */
async function scrollRows(visitor: Visitor): Promise<void> {
  await follow(visitor, "Rows");
  await visitor.page.getByRole("article").first().hover({ timeout: boundMs });
  for (let turns = 0; turns < 5; turns++) await visitor.page.mouse.wheel(0, 600);
}

/** The guard against loops may refuse this page. Then the error page offers to reload it. */
export async function arrivesAt({ page }: Visitor, heading: string, timeout = forEverMs): Promise<void> {
  const shown = page.getByRole("heading", { name: heading });
  const refused = page.getByRole("heading", { name: "Page does not load" });
  await shown.or(refused).first().waitFor({ timeout });
  if (await refused.isVisible()) await page.getByRole("link", { name: "Reload" }).click();
  await shown.waitFor({ timeout });
}

/** Clicks a link of the page. From an error page without the application's links, the visitor goes home first. */
export async function follow({ page }: Visitor, name: string): Promise<void> {
  const link = page.getByRole("link", { name, exact: true }).first();
  const home = page.getByRole("link", { name: "Home", exact: true }).first();
  // A document that is being replaced has no links yet, and one may disappear between check and click.
  await link
    .or(home)
    .first()
    .waitFor({ timeout: boundMs })
    .catch(() => "then the error says what is there");
  const failures: string[] = [];
  for (let tries = 0; tries < 3; tries++) {
    await closeDialog(page);
    // A dialog may open in between.
    const ended = await clicked(link, tries === 0 ? 3_000 : boundMs);
    if (ended === "clicked") return;
    failures.push(ended);
    if ((await clicked(home)) === "clicked")
      await link.waitFor({ timeout: boundMs }).catch(() => "then the next try says what is there");
  }
  const shown = await page.evaluate(() => `${document.readyState}, ${document.body.outerHTML}`).catch(String);
  const why = `${failures.join(" | ")} at ${page.url()}: ${shown}`;
  throw new Error(`no link ${name}: ${why.replaceAll("\n", " ").slice(0, 6_000)}`);
}

/** Nothing below a dialog can be pressed, so the visitor closes it first. */
async function closeDialog(page: Page): Promise<void> {
  const dialog = page.locator("[data-page-dialog]");
  if ((await dialog.count()) === 0) return;
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached", timeout: boundMs }).catch(() => "then the click says what is there");
}

/** "clicked", or why not. */
async function clicked(link: Locator, timeout: number = boundMs): Promise<string> {
  if ((await link.count()) === 0) return "not on the page";
  return await link.click({ timeout }).then(() => "clicked", String);
}

/** Waits for an end that the visitor can see, and records the state if none is reached. */
async function judge(visitor: Visitor, report: WalkReport): Promise<void> {
  const began = performance.now();
  let endedAt = Number.POSITIVE_INFINITY;
  for (;;) {
    const seen = await look(visitor);
    const now = performance.now();
    endedAt = seen.kind === "end" ? Math.min(endedAt, now) : Number.POSITIVE_INFINITY;
    // A navigation that has just begun shows nothing yet. Only a lasting state is an end.
    if (seen.kind === "end" && now - endedAt > settledMs) {
      report.ends.push(seen.end);
      report.slowestMs = Math.max(report.slowestMs, endedAt - began);
      return;
    }
    if (seen.kind === "not yet" && now - began > boundMs + settledMs) {
      report.deadEnds.push(`after "${report.steps.at(-1)}": ${seen.what}`);
      return;
    }
    await wait(lookMs);
  }
}

const beforeApplication = "about:blank";

function isOutside(page: Page): boolean {
  return page.url() === beforeApplication || page.url().startsWith("chrome-error:");
}

/** A third of the time that an end must last. */
const lookMs = 100;

type Seen = { kind: "end"; end: End } | { kind: "not yet"; what: string };

async function look(visitor: Visitor): Promise<Seen> {
  // The framework cannot rescue what the browser itself loads: a file, or another document behind Back.
  if (visitor.page.url().startsWith("chrome-error:")) return { kind: "end", end: "the browser's own page" };
  // A second step back while the browser loads the document of the first one: Chromium counts from there.
  if (visitor.page.url() === beforeApplication) return { kind: "end", end: "the page before the application" };
  const seen = await visitor.page
    .evaluate(() => ({
      busy: document.body?.ariaBusy === "true",
      heading: (document.querySelector("[data-page-dialog] h1") ?? document.querySelector("h1"))?.textContent ?? "",
      lost: document.getElementById("holdfast-connection") !== null,
      path: location.pathname,
      isLoadingRows: document.querySelector("[role=feed][aria-busy=true]") !== null,
      rows: [...document.querySelectorAll("[role=feed] > article")].map((row) => row.textContent ?? ""),
    }))
    .catch(() => undefined);
  if (!seen) return { kind: "not yet", what: "no document" };
  if (seen.lost) return { kind: "end", end: "connection lost" };
  if (seen.busy) return { kind: "not yet", what: `still busy at ${seen.path}` };
  if (seen.isLoadingRows) return { kind: "not yet", what: `rows are still loading at ${seen.path}` };
  if (seen.heading === "Rows" && !hasRowsInOrder(seen.rows)) return { kind: "not yet", what: `rows ${seen.rows}` };
  const end = endWith(seen.heading, seen.path);
  return end ? { kind: "end", end } : { kind: "not yet", what: `"${seen.heading}" is shown at ${seen.path}` };
}

/** A list has its first page at least, and no page is missing or twice. */
function hasRowsInOrder(rows: readonly string[]): boolean {
  return rows.length > 0 && rows.every((row, at) => row === `Row ${at + 1}`);
}

function endWith(heading: string, path: string): End | undefined {
  if (heading === "Application error" || heading === "Page does not load") return "the error page";
  if (heading === "Page not found") return "the not-found page";
  return heading === endings.get(path) ? "the page" : undefined;
}

export interface Balancer extends AsyncDisposable {
  url: string;
  /** The build that responds now. */
  readonly target: string;
  switchTo(target: string): void;
}

/**
 * A proxy before two builds of the application. Only one of them responds at a time, so that the other's files are
 * missing.
 */
export async function openBalancer(first: string): Promise<Balancer> {
  let target = first;
  const server = createServer((asked, answer) => {
    const onward = request(target + asked.url, { method: asked.method, headers: asked.headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
      given.on("error", () => answer.destroy());
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get target() {
      return target;
    },
    switchTo(next) {
      target = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
