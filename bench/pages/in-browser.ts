import { brotliCompressSync, gzipSync } from "node:zlib";
import { type Browser, chromium, type Page, type Request } from "playwright-core";

export interface FirstLoad {
  htmlBytes: number;
  /** Scripts in the document are included: their share of the packed document. */
  scriptBytes: number;
  scriptGzip: number;
  scriptBrotli: number;
  /** Scripts that loaded after hydration, when the browser was idle. */
  laterGzip: number;
  /** All requests, including those at idle. */
  requests: number;
}

export interface PageDataRequest {
  path: string;
  headers: Record<string, string>;
}

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function openChromium(engine = "--expose-gc"): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: [...flags, `--js-flags=${engine}`],
  });
}

/** Measures what a first load of a page fetches. The icon is excluded, because browsers request it by themselves. */
export async function measureFirstLoad(browser: Browser, url: string): Promise<FirstLoad> {
  const page = await browser.newPage();
  const bodies: { type: string; body: Buffer; isLater: boolean }[] = [];
  let isAlive = false;
  const reading: Promise<unknown>[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith("/favicon.ico")) return;
    const isLater = isAlive;
    reading.push(
      response
        .body()
        .then((body) => bodies.push({ type: response.request().resourceType(), body, isLater }))
        .catch(() => undefined),
    );
  });
  page.on("console", (message) => {
    if (message.text() === aliveText) isAlive = true;
  });
  await page.addInitScript(tellWhenAlive, aliveText);
  await page.goto(url, { waitUntil: "networkidle" });
  await Promise.all(reading);
  await page.close();
  const scripts = bodies.filter(({ type, isLater }) => type === "script" && !isLater).map(({ body }) => body);
  const html = bodies.find(({ type }) => type === "document")?.body ?? Buffer.alloc(0);
  const bare = Buffer.from(String(html).replace(inlineScripts, "$1"));
  const sum = (size: (body: Buffer) => number): number =>
    scripts.reduce((total, body) => total + size(body), 0) + size(html) - size(bare);
  const later = bodies.filter(({ type, isLater }) => type === "script" && isLater);
  return {
    htmlBytes: html.length,
    scriptBytes: sum((body) => body.length),
    scriptGzip: sum((body) => gzipSync(body, { level: 9 }).length),
    scriptBrotli: sum((body) => brotliCompressSync(body).length),
    laterGzip: later.reduce((total, { body }) => total + gzipSync(body, { level: 9 }).length, 0),
    requests: bodies.length,
  };
}

/** The text of scripts that run: data in a `<script>` is not code. */
const inlineScripts = /(<script(?![^>]* type="(?:application|text\/(?!javascript)))[^>]*>)[\s\S]*?(?=<\/script>)/g;

const aliveText = "measured: alive";

/** Runs in the page: logs when the application's own effect has set its mark. */
function tellWhenAlive(text: string): void {
  const { mark } = performance;
  performance.mark = (name, options) => {
    if (name === "alive") console.log(text);
    return mark.call(performance, name, options);
  };
}

/** Clicks the link to `/items` and returns the request for its data. */
export async function watchPageData(browser: Browser, url: string): Promise<PageDataRequest | undefined> {
  const page = await browser.newPage();
  await page.goto(url, { waitUntil: "networkidle" });
  const asked: Request[] = [];
  page.on("request", (request) => asked.push(request));
  await page.click("#nav-items");
  await page.waitForSelector("li:nth-child(100)");
  const data = asked.find((request) => request.resourceType() === "fetch" && new URL(request.url()).origin === url);
  const headers = data ? await data.allHeaders() : {};
  await page.close();
  if (!data) return undefined;
  const kept = Object.entries(headers).filter(
    ([name]) => !name.startsWith(":") && !["host", "connection", "accept-encoding"].includes(name),
  );
  const { pathname, search } = new URL(data.url());
  return { path: pathname + search, headers: Object.fromEntries(kept) };
}

/** How much slower the page's processor is than the machine's: a cheap phone beside this machine. */
export type Slowdown = 1 | 4;

/** A page in the browser, on a processor that is slower by this factor. */
async function openPage(browser: Browser, slowdown: Slowdown): Promise<Page> {
  const page = await browser.newPage();
  if (slowdown > 1) {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  }
  return page;
}

/**
 * Milliseconds from navigation start until the application's own effect has run. The visitor comes from another site,
 * as a first load does: the browser then takes another process for every contender. From its empty page it would take
 * one only for pages with a `Cross-Origin-Opener-Policy`, which Holdfast sends and no other contender does (40 ms).
 */
export async function measureHydration(browser: Browser, url: string, slowdown: Slowdown): Promise<number> {
  const page = await openPage(browser, slowdown);
  await page.goto("data:text/html,<title>Another site</title>");
  await page.goto(`${url}/items`);
  const time = await page.evaluate(waitForMark);
  await page.close();
  return time;
}

/** Milliseconds from a click to the painted item, and how many requests the click made. */
export async function measureClick(
  browser: Browser,
  url: string,
  how: "cold" | "prefetched",
  slowdown: Slowdown,
): Promise<{ ms: number; requests: number }> {
  const page = await openPage(browser, slowdown);
  await page.goto(url, { waitUntil: "networkidle" });
  await page.evaluate(waitForMark);
  const link = how === "cold" ? "#cold" : "#warm";
  if (how === "prefetched") {
    await page.hover(link);
    await page.waitForTimeout(400);
  }
  let requests = 0;
  page.on("request", (request) => {
    if (!request.url().endsWith("/favicon.ico")) requests++;
  });
  const ms = await page.evaluate(clickUntilPainted, { link, title: how === "cold" ? "Item 7" : "Item 8" });
  await page.close();
  return { ms, requests };
}

/**
 * Bytes of heap retained per navigation, over 200 of them. The browser runs without a JIT compiler: machine code of hot
 * functions is in the same heap, grows for hundreds of navigations (plain React: 900 B for each of the first two
 * hundred) and is not a leak.
 */
export async function measureHeap(url: string): Promise<number> {
  const browser = await openChromium("--expose-gc --jitless");
  const page = await browser.newPage();
  await page.goto(url, { waitUntil: "networkidle" });
  await page.evaluate(waitForMark);
  await goAround(page, 15);
  const before = await heapOf(page);
  await goAround(page, 100);
  const after = await heapOf(page);
  await browser.close();
  return (after - before) / 200;
}

async function goAround(page: Page, times: number): Promise<void> {
  for (let round = 0; round < times; round++) {
    for (const [link, title] of [
      ["#nav-about", "About"],
      ["#nav-home", "Hello"],
    ] as const) {
      await page.evaluate((selector) => document.querySelector<HTMLElement>(selector)?.click(), link);
      await page.waitForFunction((text) => document.querySelector("h1")?.textContent === text, title, { polling: 5 });
    }
  }
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

function waitForMark(): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      const [mark] = performance.getEntriesByName("alive");
      if (mark) resolve(mark.startTime);
      else setTimeout(look, 5);
    };
    look();
  });
}

function clickUntilPainted({ link, title }: { link: string; title: string }): Promise<number> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const seen = new MutationObserver(() => {
      if (document.querySelector("h1")?.textContent !== title) return;
      seen.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - startedAt)));
    });
    seen.observe(document, { childList: true, subtree: true, characterData: true });
    document.querySelector<HTMLElement>(link)?.click();
  });
}
