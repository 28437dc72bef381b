import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { BrowserContextOptions, Page } from "playwright-core";
import { root } from "../../scripts/root.js";
import type { FaultProxy, RecordedRequest } from "./fault-proxy.ts";
import type { Pattern } from "./fault-rules.ts";

export const withoutJavaScript: BrowserContextOptions = { javaScriptEnabled: false };
export const onAPhone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};
export const inTheDark: BrowserContextOptions = { colorScheme: "dark" };
/** West and east of UTC: for some hours of each day the date differs there. */
export const inNewYork: BrowserContextOptions = { timezoneId: "America/New_York" };
export const inKolkata: BrowserContextOptions = { timezoneId: "Asia/Kolkata" };

/** Three groups of four characters of Crockford's alphabet, which leaves out I, L, O and U. */
const digest = /\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b/;

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A declared problem that has not occurred after this time never does. */
const problemsWithinMs = 5_000;

/**
 * A visitor with their own browser context: own cookies, own storage. Connects to the application through the proxy.
 */
export class Visitor {
  /** For everything that has no method here. */
  readonly page: Page;
  readonly proxy: FaultProxy;
  readonly #problems: string[] = [];
  readonly #expected: RegExp[] = [];
  #documents = 0;

  constructor(page: Page, proxy: FaultProxy) {
    this.page = page;
    this.proxy = proxy;
    this.#listen();
  }

  /** How many documents the browser has loaded; a soft navigation adds none. */
  get documentsLoaded(): number {
    return this.#documents;
  }

  /** Path, query and hash in the address bar. */
  get address(): string {
    const { pathname, search, hash } = new URL(this.page.url());
    return pathname + search + hash;
  }

  async goTo(path: string): Promise<void> {
    await this.page.goto(this.proxy.url + path);
  }

  /** Waits until the page is hydrated and handles clicks itself; the browser handles earlier clicks. */
  async isAlive(): Promise<void> {
    await this.page.locator("html[data-holdfast=alive]").waitFor();
  }

  /** Waits until the code for navigation and prefetching has loaded, which happens after hydration. */
  async isAwake(): Promise<void> {
    await this.page.locator("#holdfast-announcer").waitFor({ state: "attached" });
  }

  /**
   * Advances the page's clock; call `page.clock.install()` first. Resolves when all requests of the page's timers have
   * reached the proxy, so that a test can check what the page does not request.
   */
  async letTimePass(ms: number): Promise<void> {
    await this.page.clock.runFor(ms);
    await this.page.evaluate(() => fetch("/healthz"));
  }

  async clickLink(name: string | RegExp): Promise<void> {
    await this.page.getByRole("link", { name, exact: true }).first().click();
  }

  /**
   * Focus and click, as Enter on a link has them, in one task: between two of them, a busy machine may take longer than
   * it takes until a focused link is prefetched.
   */
  async enterLink(name: string | RegExp): Promise<void> {
    const link = this.page.getByRole("link", { name, exact: true }).first();
    await link.evaluate((element: HTMLElement) => {
      element.focus();
      element.click();
    });
  }

  async pressButton(name: string | RegExp): Promise<void> {
    await this.page.getByRole("button", { name, exact: true }).first().click();
  }

  async fillIn(label: string, text: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).fill(text);
  }

  /** Waits until a heading with this text is visible. */
  async sees(heading: string | RegExp): Promise<void> {
    await this.page.getByRole("heading", { name: heading }).first().waitFor();
  }

  /** The digest on the page, if there is one. */
  async digestShown(): Promise<string | undefined> {
    const [text = ""] = await this.page.locator("body").allInnerTexts();
    return digest.exec(text)?.[0];
  }

  /** Every recorded request, of all visitors of this test. */
  requestsFor(pattern: Pattern): RecordedRequest[] {
    return this.proxy.requestsFor(pattern);
  }

  /** Violations of accessibility rules, one sentence each. */
  async accessibilityProblems(): Promise<string[]> {
    // Compiling it again takes a tenth of a second.
    if (!(await this.page.evaluate(() => "axe" in globalThis))) await this.page.evaluate(axe);
    return await this.page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } };
      // What is still fading in has a contrast of its own. Some animations never end.
      const moving = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity);
      await Promise.allSettled(moving.map(({ finished }) => finished));
      // Passed rules are counted and not described, which takes a third of the time.
      const { violations } = await axe.run({ resultTypes: ["violations"] });
      return violations.map(
        ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target.join(" ")).join(", ")})`,
      );
    });
  }

  /** Saves a screenshot for people; returns its path. */
  async screenshot(name: string): Promise<string> {
    const folder = join(root, "tests/.tmp/screenshots");
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${name}.png`);
    await this.page.screenshot({ path, fullPage: true });
    return path;
  }

  /**
   * Declares problems that the test expects: console errors, page errors, failed requests. One that never occurs fails
   * the test too.
   */
  expecting(...patterns: RegExp[]): this {
    this.#expected.push(...patterns);
    return this;
  }

  /** Waits until each declared problem has occurred: the browser reports one some time after its cause. */
  async expectedProblems(): Promise<void> {
    const deadline = performance.now() + problemsWithinMs;
    while (this.#absent().length > 0 && performance.now() < deadline && !this.page.isClosed()) await wait(20);
  }

  /** Problems that were not declared, and declared ones that did not occur. */
  surprises(): string[] {
    const isDeclared = (problem: string): boolean => this.#expected.some((pattern) => pattern.test(problem));
    const unexpected = this.#problems.filter((problem) => !isDeclared(problem));
    return [...unexpected, ...this.#absent().map((pattern) => `expected, but did not occur: ${pattern}`)];
  }

  #absent(): RegExp[] {
    return this.#expected.filter((pattern) => !this.#problems.some((problem) => pattern.test(problem)));
  }

  #listen(): void {
    this.page.on("console", (message) => {
      const { url } = message.location();
      // Chromium requests the icon by itself; no page named it.
      if (message.type() !== "error" || url.endsWith("/favicon.ico")) return;
      this.#problems.push(`console error: ${message.text()} (${url})`);
    });
    this.page.on("pageerror", (error) => this.#problems.push(`page error: ${error.stack ?? error}`));
    this.page.on("crash", () => this.#problems.push("the page's process crashed"));
    this.page.on("requestfailed", (request) => {
      const why = request.failure()?.errorText ?? "failed";
      // The page itself aborted it: superseded, left, or cancelled by the visitor.
      if (why === "net::ERR_ABORTED") return;
      // Chromium refuses modules with this reason when JavaScript is off; a violation of the page's own policy is also
      // a console error.
      if (why === "csp") return;
      this.#problems.push(`request failed: ${request.method()} ${request.url()} (${why})`);
    });
    this.page.on("request", (request) => {
      // React renders the page again without a message; only the report shows it.
      const reported = request.method() === "POST" && request.postData()?.includes('"class":"hydration"');
      if (reported) this.#problems.push(`hydration error: the server had rendered something else (${this.page.url()})`);
      if (!request.isNavigationRequest() || request.frame() !== this.page.mainFrame()) return;
      if (!request.redirectedFrom()) this.#documents += 1;
    });
  }
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: string[] }[] }[];
}
