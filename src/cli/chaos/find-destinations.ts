import type { Browser } from "playwright-core";
import { type ClickDestination, look, openAlive } from "./try-click.ts";

/** The links of a page that lead to other pages of the application, each with what it shows when nothing is broken. */
export async function findDestinations(browser: Browser, from: string, atMost: number): Promise<ClickDestination[]> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await openAlive(page, from);
    const hrefs = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLAnchorElement>("a[href]")]
        .filter(
          (link) => link.origin === location.origin && link.pathname !== location.pathname && link.checkVisibility(),
        )
        .filter((link) => !link.target && !link.hasAttribute("download") && !("hard" in link.dataset))
        .map((link) => link.getAttribute("href") ?? ""),
    );
    const found: ClickDestination[] = [];
    for (const href of new Set(hrefs)) {
      if (found.length === atMost) break;
      // What is no page of the framework is the browser's, and what does not even load unbroken is its author's.
      const answer = await page.request.get(new URL(href, from).href).catch(() => undefined);
      if (!answer?.ok() || !(await answer.text()).includes('id="holdfast-page"')) continue;
      await page.goto(new URL(href, from).href);
      found.push({ href, ...(await look(page)) });
    }
    return found;
  } finally {
    await context.close();
  }
}
