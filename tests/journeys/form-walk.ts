import { setTimeout as wait } from "node:timers/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { type FaultProxy, faultProxy, Visitor } from "../kit/index.ts";
import {
  arrivesAt,
  type Balancer,
  cheapToDraw,
  createDice,
  type Dice,
  follow,
  forEverMs,
  openBalancer,
} from "./random-walk.ts";
import type { TwoBuilds } from "./two-builds.ts";

/**
 * Simulates a visitor who fills in forms during random faults: responses are lost, cut or late, the connection is lost
 * for a while, another build is deployed. After each round all faults end and the visitor answers all questions. Then
 * the walk compares the server's list with the page, and looks for each text.
 */
export interface FormWalkReport {
  seed: number;
  /** Steps in order. */
  steps: string[];
  /** Typed texts, and how many of them were sent. */
  texts: number;
  sent: number;
  /** How often the visitor was asked what to do. */
  questions: number;
  /** Number of comparisons of page, server list and texts. */
  checks: number;
  /** All empty if there is no fault. */
  faults: Record<FaultKind, string[]>;
}

export const faultKinds = ["dead ends", "stale pages", "posts run twice", "texts lost"] as const;
export type FaultKind = (typeof faultKinds)[number];

/** A text typed into a form. */
interface Text {
  form: string;
  text: string;
  isSent: boolean;
  /** The visitor has agreed to send it again, although it may have been received. */
  again: boolean;
  /** The visitor has discarded it. */
  isGivenUp: boolean;
}

/** State of a running walk. */
interface Walk {
  dice: Dice;
  visitor: Visitor;
  proxy: FaultProxy;
  balancer: Balancer;
  builds: readonly [string, string];
  texts: Text[];
  /** Texts that have reached the forms so far, in order. */
  inputs: readonly Input[];
  report: FormWalkReport;
}

const forms = ["a", "b", "c", "go", "slow", "broken"] as const;
const rounds = 3;
/** A request without a response is abandoned after 60 s; then the server is asked. */
const endsWithinMs = 90_000;
/** A visitor looks at an empty page so long before they reload. */
const patienceMs = 8_000;
/** Many walks look at once; looking more often would keep the machine busy. */
const lookMs = 250;

export async function formWalk(seed: number, browser: Browser, builds: TwoBuilds): Promise<FormWalkReport> {
  const name = `walk-${seed}`;
  await using balancer = await openBalancer(builds.urls[0]);
  await using proxy = await faultProxy(balancer.url);
  const context = await browser.newContext(cheapToDraw);
  await context.addCookies([{ name: "walk", value: name, url: proxy.url }]);
  await context.addInitScript(recordInputs, inputsKey);
  const visitor = new Visitor(await context.newPage(), proxy);
  const report: FormWalkReport = {
    ...{ seed, steps: [], texts: 0, sent: 0, questions: 0, checks: 0 },
    faults: { "dead ends": [], "stale pages": [], "posts run twice": [], "texts lost": [] },
  };
  const walk: Walk = {
    ...{ dice: createDice(seed), visitor, proxy, balancer, builds: builds.urls, texts: [], inputs: [], report },
  };
  try {
    await visitor.goTo("/");
    await toForms(walk);
    for (let round = 0; round < rounds; round++) {
      for (let times = 1 + walk.dice.under(2); times > 0; times--) {
        await breakSomething(walk);
        await act(walk);
        await wait(walk.dice.under(800));
      }
      report.steps.push("all is well");
      proxy.healed();
      await proxy.online();
      // Fired as the browser does. A document that is being replaced may miss it.
      await visitor.page.evaluate(() => dispatchEvent(new Event("online"))).catch(() => undefined);
      await settle(walk);
      await judge(walk, () => builds.itemsOf(name));
    }
  } catch (error) {
    const words = error instanceof Error ? error.message.split("\n")[0] : error;
    report.faults["dead ends"].push(`at ${visitor.page.url()}: ${words}`);
  } finally {
    await context.close();
  }
  report.texts = walk.inputs.length;
  report.sent = walk.texts.filter(({ isSent }) => isSent).length;
  return report;
}

async function breakSomething({ dice, proxy, balancer, builds, report }: Walk): Promise<void> {
  const what = dice.pick([/_action\/\w+\/_data/, /_outcome/, /_action/, /forms\/_data/, /_assets/]);
  const [times, ms, bytes] = [1 + dice.under(2), dice.under(3_000), dice.under(400)];
  const once = () => proxy.when(what).times(times);
  const faults: Record<string, () => unknown> = {
    nothing: () => undefined,
    [`${what} is torn`]: () => once().drop(),
    [`${what} is slow`]: () => proxy.when(what).delay(ms),
    [`${what} is cut`]: () => once().cutAfter(bytes),
    [`${what} stalls`]: () => once().stallAfter(bytes),
    [`${what} is a portal`]: () => once().answer(200, "<h1>Portal</h1>", { "content-type": "text/html" }),
    [`${what} finds no server`]: () => once().answer(502, "no", { "content-type": "text/plain" }),
    offline: () => proxy.offline(),
    "a short outage": () =>
      void proxy
        .offline()
        .then(() => wait(200 + ms))
        .then(() => proxy.online()),
    "a deploy": () => balancer.switchTo(builds.find((url) => url !== balancer.target) ?? builds[0]),
  };
  const name = dice.pick(Object.keys(faults));
  report.steps.push(name);
  await faults[name]?.();
}

async function act(walk: Walk): Promise<void> {
  const { dice, visitor, report } = walk;
  const { page } = visitor;
  const back = () => page.evaluate(() => void (navigation.canGoBack && history.back()));
  const [one, other] = [dice.pick(forms), dice.pick(forms)];
  const actions: Record<string, () => Promise<unknown>> = {
    [`type ${one}`]: () => type(walk, one),
    [`type ${one}, click Orders, Back`]: async () => {
      await type(walk, one);
      await follow(visitor, "Orders");
      await back();
    },
    [`type ${one}, send ${other}`]: async () => {
      await type(walk, one);
      await send(walk, other);
    },
    [`send ${one}`]: () => send(walk, one),
    [`send ${one} twice`]: () => send(walk, one, { clickCount: 2 }),
    [`send ${one} and ${other}`]: async () => {
      await send(walk, one);
      await send(walk, other);
    },
    "send a, b and c": async () => {
      for (const form of ["a", "b", "c"]) await send(walk, form);
    },
    "send a, which is refused": () => send(walk, "a", { word: "refused" }),
    [`send ${one}, click Orders`]: async () => {
      await send(walk, one);
      await follow(visitor, "Orders");
    },
    [`send ${one}, Back`]: async () => {
      await send(walk, one);
      await back();
    },
    [`send ${one}, reload`]: async () => {
      await send(walk, one);
      await page.reload({ timeout: 5_000 });
    },
  };
  const name = dice.pick(Object.keys(actions));
  report.steps.push(name);
  try {
    await toForms(walk);
    await actions[name]?.();
  } catch (error) {
    // A document is being replaced, or there is no connection. Only the end of the round counts.
    report.steps.push(`(${error instanceof Error ? error.message.split("\n")[0] : error})`);
  }
}

const inputsKey = "walk-inputs";

/** Runs in the page: records the input of the forms. The browser types nothing into a removed field. */
function recordInputs(key: string): void {
  const read = (): Input[] => JSON.parse(sessionStorage.getItem(key) ?? "[]");
  addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const form = target.closest<HTMLElement>("[data-form]")?.dataset.form ?? "";
    sessionStorage.setItem(key, JSON.stringify([...read(), { form, text: target.value }]));
  });
}

/** Input of a form. */
interface Input {
  form: string;
  text: string;
}

async function type({ visitor, texts }: Walk, form: string, word = form): Promise<Text> {
  const typed: Text = { form, text: `${word}-${texts.length}`, isSent: false, again: false, isGivenUp: false };
  texts.push(typed);
  await visitor.page.getByLabel(`Text ${form}`, { exact: true }).fill(typed.text, { timeout: 5_000 });
  return typed;
}

async function send(walk: Walk, form: string, { clickCount = 1, word = form } = {}): Promise<void> {
  const typed = await type(walk, form, word);
  const { page } = walk.visitor;
  const inField = await page.getByLabel(`Text ${form}`, { exact: true }).inputValue({ timeout: 5_000 });
  if (inField !== typed.text) throw new Error(`the page went before ${typed.text} was typed`);
  typed.isSent = true;
  const button = page.getByRole("button", { name: `Send ${form}`, exact: true });
  await button.click({ clickCount, timeout: 5_000 });
}

/** Waits until every form has ended, and answers the visitor's questions. */
async function settle(walk: Walk): Promise<void> {
  const { page } = walk.visitor;
  const until = performance.now() + endsWithinMs;
  while (performance.now() < until) {
    await toForms(walk);
    const isOver = await (async () => {
      const { asking, hasRetry, isOpen } = await page.evaluate(lookAtForms);
      for (const form of forms.filter((name) => asking.includes(name)))
        await decide(walk, page.locator(`[data-form=${form}]`), form);
      if (hasRetry) await page.locator("#holdfast-connection button").click({ timeout: 1_000 });
      return !isOpen;
    })().catch(() => false); // a document is being replaced
    if (isOver) return;
    await wait(lookMs);
  }
  const pending = await page.locator("[data-pending=true]").count();
  walk.report.faults["dead ends"].push(`${pending} forms are pending for ever`);
}

/** In the page, all at once: many walks look often, and a question for each form would keep the machine busy. */
function lookAtForms(): { asking: string[]; hasRetry: boolean; isOpen: boolean } {
  const open = "[data-pending=true], [data-form] [role=alert] button, #holdfast-connection";
  const asking = [...document.querySelectorAll<HTMLElement>("[data-form]:has([role=alert])")];
  return {
    asking: asking.map(({ dataset }) => dataset.form ?? ""),
    hasRetry: document.querySelector("#holdfast-connection button") !== null,
    isOpen: document.querySelector(open) !== null || location.pathname !== "/forms",
  };
}

/** A redirect may lead elsewhere meanwhile, and the browser may show its own page after a reload. */
async function toForms({ visitor }: Walk): Promise<void> {
  const { page } = visitor;
  const until = performance.now() + forEverMs;
  const isShown = (): Promise<boolean> =>
    page
      .evaluate(() => location.pathname === "/forms" && document.querySelector("h1")?.textContent === "Forms")
      .catch(() => false);
  const isThere = async (): Promise<boolean> =>
    (await isShown()) ||
    ((await addressOf(page)).pathname === "/forms" &&
      (await arrivesAt(visitor, "Forms", 1_000).then(
        () => true,
        () => false,
      )));
  while (!(await isThere())) {
    if (performance.now() > until)
      throw new Error(`no way to the forms from "${await headingOf(page)}": ${await page.evaluate(describePlace)}`);
    // A visitor reloads until it works; a page that never comes is a dead end all the same.
    const { protocol, pathname } = await addressOf(page);
    const arrived = await whatArrived(page);
    if (arrived === "nothing yet") await wait(lookMs);
    else if (protocol === "chrome-error:" || arrived === "not ours")
      await page.reload({ timeout: forEverMs }).catch(() => wait(lookMs));
    else if (pathname !== "/forms") await follow(visitor, "Forms");
  }
}

/** Asks the document: after a step back that stops a full load, `page.url()` may keep the address before that step. */
async function addressOf(page: Page): Promise<URL> {
  return new URL(await page.evaluate(() => location.href).catch(() => page.url()));
}

/** In the page: which document it is, and where the browser is in its history. */
function describePlace(): string {
  const [loaded] = performance.getEntriesByType("navigation");
  const { state, length } = history;
  // A document of which nothing has arrived has no root element.
  const life = document.documentElement?.dataset.holdfast;
  const fullLoads = sessionStorage.getItem("holdfast-full-loads");
  return JSON.stringify({ loaded: loaded?.name, at: location.href, state, length, life, fullLoads });
}

/**
 * A form that the browser posts itself, before any code is loaded, can meet a proxy that answers in our place, or a
 * response that stalls before its first link: nothing of ours is on screen then, and the visitor reloads.
 */
function whatArrived(page: Page): Promise<"ours" | "nothing yet" | "not ours"> {
  return page
    .evaluate((patienceMs) => {
      if (document.readyState === "loading" && document.querySelector("a") === null)
        return performance.now() > patienceMs ? "not ours" : "nothing yet";
      return document.readyState === "complete" && document.querySelector("script, a") === null ? "not ours" : "ours";
    }, patienceMs)
    .catch(() => "ours");
}

function headingOf(page: Page): Promise<string | null> {
  return page
    .locator("h1")
    .first()
    .textContent({ timeout: 1_000 })
    .catch(() => null);
}

async function decide({ dice, texts, report }: Walk, form: Locator, name: string): Promise<void> {
  const notice = form.getByRole("alert");
  const words = (await notice.allTextContents()).join(" ");
  if (!/not received|may have been received/.test(words)) return;
  const again = dice.under(2) === 0 && words.includes("Send again");
  const button = notice.getByRole("button", { name: again ? "Send again" : "Discard", exact: true });
  if ((await button.count()) === 0) return;
  // A click may succeed and not return in time. It is a decision all the same.
  await button.click({ timeout: 1_000 }).catch(() => undefined);
  report.questions += 1;
  report.steps.push(again ? `send ${name} again` : `discard ${name}`);
  const text = texts.findLast((one) => one.form === name && one.isSent);
  if (!text) return;
  if (!again) text.isGivenUp = true;
  else if (words.includes("may have been")) text.again = true;
}

async function judge(walk: Walk, readItems: () => string[]): Promise<void> {
  const { visitor, texts, report } = walk;
  const { page } = visitor;
  report.checks += 1;
  const until = performance.now() + forEverMs;
  const comesTrue = async (isTrue: () => Promise<boolean>): Promise<boolean> => {
    while (!(await isTrue().catch(() => false))) {
      if (performance.now() > until) return false;
      await wait(lookMs);
    }
    return true;
  };
  // The page may be loading again, in part or in full.
  const shown = async (): Promise<string> => {
    await toForms(walk);
    return (await page.locator("main li").allTextContents()).join();
  };
  if (!(await comesTrue(async () => (await shown()) === readItems().join())))
    report.faults["stale pages"].push(`shows ${await shown()} of ${readItems()}`);
  await comesTrue(async () => {
    walk.inputs = JSON.parse((await page.evaluate((key) => sessionStorage.getItem(key), inputsKey)) ?? "[]");
    return true;
  });
  for (const { form, text, again, isGivenUp } of texts) {
    const runs = readItems().filter((item) => item === text).length;
    if (runs > (again ? 2 : 1)) report.faults["posts run twice"].push(`${text} has run ${runs} times`);
    // It never was in its field, or the visitor has replaced it.
    const last = walk.inputs.findLast((input) => input.form === form);
    if (runs > 0 || isGivenUp || last?.text !== text) continue;
    const drafts = (): Promise<string> => page.evaluate(() => sessionStorage.getItem("holdfast-drafts") ?? "");
    const isKept = async (): Promise<boolean> =>
      // A form that was left behind by a link is not shown as pending, and its request may still be on its way.
      readItems().includes(text) ||
      // Before the field, because a link that was slow may have led to a page without the field.
      (await drafts()).includes(`"${text}"`) ||
      (await page.getByLabel(`Text ${form}`, { exact: true }).inputValue({ timeout: 1_000 })) === text;
    if (!(await comesTrue(isKept))) report.faults["texts lost"].push(`${text}; kept are ${await drafts()}`);
  }
}
