import type { Browser, Page } from "playwright-core";
import type { Fault } from "./faults.ts";

/** A link of the application, and the page it leads to without a fault. */
export interface ClickDestination {
  href: string;
  path: string;
  title: string;
  heading: string;
}

export type Ending =
  | { kind: "arrived"; ms: number; fullLoad: boolean }
  | { kind: "waited"; ms: number }
  /** Description of what the visitor saw instead. */
  | { kind: "dead-end"; left: string };

/** The framework's own limit, 3.8 s of silence and a probe of 2 s, plus a full load on a busy machine. */
const boundMs = 15_000;

/** Clicks one link with one fault in a fresh browser context, and returns the outcome. */
export async function tryClick(browser: Browser, from: string, to: ClickDestination, fault: Fault): Promise<Ending> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    let documents = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents += 1;
    });
    await openHydrated(page, from);
    await fault.break(context);
    const began = performance.now();
    await page.locator(`a[href="${to.href}"]`).first().click();
    if (fault.must === "waits") {
      if (!(await isSaid(page))) return { kind: "dead-end", left: await describe(page) };
      await fault.repair?.(context);
    }
    const ms = performance.now() - began;
    if (!(await isShown(page, to))) return { kind: "dead-end", left: await describe(page) };
    if (fault.must === "waits") return { kind: "waited", ms };
    return { kind: "arrived", ms: performance.now() - began, fullLoad: documents > 1 };
  } finally {
    await context.close();
  }
}

/** Opens a page and waits until it is hydrated, so that the framework handles the click. */
export async function openHydrated(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator("html[data-holdfast=alive]").waitFor();
  await page.mouse.move(1, 1);
  await page.mouse.move(2, 2);
  await page.locator("#holdfast-announcer").waitFor({ state: "attached" });
}

function isShown(page: Page, to: ClickDestination): Promise<boolean> {
  return comesTrue(async () => {
    const seen = await readPage(page);
    return seen.path === to.path && seen.title === to.title && seen.heading === to.heading;
  });
}

function isSaid(page: Page): Promise<boolean> {
  return comesTrue(() => page.locator("#holdfast-connection").isVisible());
}

async function comesTrue(question: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + boundMs;
  while (performance.now() < until) {
    // Fails while one document replaces another.
    if (await question().catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

export async function readPage(page: Page): Promise<{ path: string; title: string; heading: string }> {
  return await page.evaluate(() => ({
    path: location.pathname + location.search,
    title: document.title,
    heading: document.querySelector("h1")?.textContent ?? "",
  }));
}

async function describe(page: Page): Promise<string> {
  const seen = await readPage(page).catch(() => undefined);
  return seen ? `"${seen.heading || seen.title}" at ${seen.path}` : `nothing at ${page.url()}`;
}
