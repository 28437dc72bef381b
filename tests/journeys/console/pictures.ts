/**
 * Renews the screenshots of the console in `docs/console`, from a shop after a bad day:
 *
 *   node --conditions=holdfast-source tests/journeys/console/pictures.ts
 *
 * With a folder, every screen and mail is written into it as a whole page: wide and narrow, light and dark.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { buildPackage } from "../../../scripts/build.js";
import { root } from "../../../scripts/root.js";
import { asHtml } from "../../../src/service/alerts/messages/as-html.ts";
import { openBrowser } from "../../kit/browser.ts";
import { freePort } from "../../kit/free-ports.ts";
import { buildApp, RunningApp } from "../../kit/running-app.ts";
import { smallPng } from "../../kit/small-png.ts";
import { mails } from "./mails.ts";
import { fillShop } from "./shop.ts";
import {
  fillAlerts,
  fillAttachments,
  fillBalance,
  fillDeploys,
  fillFeedback,
  fillIntake,
  fillTasks,
  startMailBox,
} from "./shop-more.ts";

interface Look {
  readonly dark?: boolean;
  readonly phone?: boolean;
}

type Show = (page: Page) => Promise<void>;

const wholeFolder = process.argv[2];
const folder = wholeFolder ?? join(root, "docs/console");
const everyLook: readonly Look[] = [{}, { dark: true }, { phone: true }, { phone: true, dark: true }];

/** What `docs/console` has, with its look if it is not wide and light. */
const kept: Readonly<Record<string, Look>> = {
  overview: {},
  issues: {},
  issue: {},
  visitors: {},
  visitor: {},
  "visitor-phone": { phone: true, dark: true },
  event: {},
  "event-phone": { phone: true, dark: true },
  attachments: { phone: true },
  trace: {},
  logs: {},
  spans: {},
  pages: {},
  route: {},
  feedback: {},
  releases: {},
  release: {},
  compared: {},
  schedules: {},
  balance: {},
  alerts: {},
  "alerts-phone": { phone: true, dark: true },
  live: {},
  settings: {},
  keys: {},
  filters: {},
  erase: {},
  "mail-new-issue": {},
  "mail-summary": { phone: true, dark: true },
};

const app = await startShop();
const browser = await openBrowser("UTC");
try {
  mkdirSync(folder, { recursive: true });
  for (const [name, show] of Object.entries(await screens(app, browser))) await take(name, show);
} finally {
  await browser.close();
  await app.stop();
  await app.mailBox[Symbol.asyncDispose]();
}

async function startShop(): Promise<RunningApp & { mailBox: AsyncDisposable }> {
  await buildPackage();
  const fixture = "tests/fixtures/watched";
  await buildApp(fixture);
  const mailBox = await startMailBox();
  const env = { HOLDFAST_SMTP: mailBox.url, HOLDFAST_MAIL_FROM: "Holdfast <errors@shop.example>" };
  const shop = new RunningApp({ app: fixture, env }, await freePort());
  await fillTasks(shop.dataFolder);
  await shop.start();
  return Object.assign(shop, { mailBox });
}

async function screens(shop: RunningApp, browser: Browser): Promise<Record<string, Show>> {
  const { event, trace } = await fillShop(shop);
  const screenshot = await screenshotOfVisitor(shop, browser);
  await fillFeedback(shop, event, screenshot);
  await fillDeploys(shop);
  await fillBalance(shop);
  await fillAlerts(shop);
  await fillIntake(shop);
  const withFiles = await fillAttachments(shop, screenshot);
  const at =
    (address: string): Show =>
    async (page) => {
      await page.goto(`${shop.url}/_holdfast/1${address}`);
      await page.locator("html[data-holdfast=alive]").waitFor();
    };
  const opened =
    (address: string, ...summaries: string[]): Show =>
    async (page) => {
      await at(address)(page);
      for (const name of summaries)
        await page.locator(`summary:text-is("${name}"), summary[aria-label="${name}"]`).click();
    };
  const mail = Object.entries(mails).map(([name, message]): [string, Show] => [
    name,
    (page) => page.setContent(asHtml(message)),
  ]);
  return {
    overview: at(""),
    issues: at("/issues"),
    issue: at("/issues/1"),
    visitors: at("/issues/1/visitors"),
    visitor: at("/find?q=visitor-3"),
    "visitor-phone": at("/find?q=visitor-3"),
    event: at(`/events/${event}`),
    "event-phone": at(`/events/${event}`),
    attachments: async (page) => {
      await at(`/events/${withFiles}`)(page);
      if (wholeFolder === undefined) await page.locator(".files").scrollIntoViewIfNeeded();
    },
    trace: at(`/traces/${trace.id}?span=${trace.span}`),
    logs: at("/logs"),
    spans: at("/spans"),
    pages: at("/pages"),
    route: at("/pages/route?route=%2Fcart"),
    feedback: at("/feedback"),
    releases: at("/releases"),
    release: at("/releases/named?name=shop%402.4.1"),
    compared: at("/releases/compared?from=shop%402.4.0&to=shop%402.4.1"),
    schedules: at("/schedules"),
    balance: at("/balance"),
    alerts: at("/alerts"),
    "alerts-phone": at("/alerts"),
    "alerts-changing": opened("/alerts", "Webhook", "Change Shop team", "Change the rule Frequent issue"),
    live: at("/live"),
    settings: at("/settings"),
    keys: at("/settings/keys"),
    filters: at("/settings/filters"),
    tokens: at("/settings/tokens"),
    tickets: at("/settings/tickets"),
    erase: async (page) => {
      await at("/settings/erase")(page);
      await page.getByLabel("Id, digest, number or address").fill("visitor-3");
      await page.getByRole("button", { name: "What would be removed?" }).click();
      await page.getByRole("button", { name: "Remove it" }).waitFor();
    },
    searches: at("/searches?screen=logs&search=q%3Dpayment"),
    find: at("/find?q=cart"),
    merge: at("/issues/merge?number=1"),
    me: at("/me"),
    "not-found": at("/issues/999"),
    ...Object.fromEntries(mail),
  };
}

/** A picture that a visitor could attach. */
async function screenshotOfVisitor(shop: RunningApp, browser: Browser): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
  await page.goto(`${shop.url}/broken`);
  const picture = await page.screenshot();
  await page.close();
  return picture;
}

async function take(name: string, show: Show): Promise<void> {
  const one = kept[name];
  // The same screen in another look.
  if (wholeFolder !== undefined && name.endsWith("-phone")) return;
  for (const look of wholeFolder !== undefined ? everyLook : one ? [one] : []) {
    const viewport = look.phone ? { width: 390, height: 844 } : { width: 1280, height: 760 };
    const colorScheme = look.dark ? "dark" : "light";
    const isMobile = look.phone === true;
    const page = await browser.newPage({ viewport, colorScheme, hasTouch: isMobile, isMobile });
    await show(page);
    const file = wholeFolder === undefined ? name : `${name}-${viewport.width}-${colorScheme}`;
    // The tabs of a phone are at the lower edge of the window, so the window becomes as tall as the page.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    if (wholeFolder !== undefined && height > viewport.height) await page.setViewportSize({ ...viewport, height });
    const picture = await page.screenshot();
    writeFileSync(join(folder, `${file}.png`), smallPng(picture));
    await page.close();
    console.log(`${file}.png`);
  }
}
