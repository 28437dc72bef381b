import { createMatcher } from "#routes";
import type { FirstSignals } from "#signals";
import * as pageErrors from "../errors.ts";
import { browserLimits } from "../limits.ts";
import { actionMarker, hydrationElementId } from "../page-data.ts";
import type { BrowserParts } from "../parts.ts";
import { runtime, setRuntime } from "../react/browser-runtime.ts";
import { catchClicks } from "./catch-clicks.ts";
import { lateInDocument } from "./late-in-document.ts";
import { createCodeLoader } from "./load-code.ts";
import { readHydration, withoutHash } from "./page-answer.ts";
import { placeNow } from "./place.ts";
import { Screen } from "./screen.tsx";
import { SleepingTab } from "./sleeping-tab.ts";

/** Makes the page that the server sent alive, and takes over from then on. The generated entry calls it with the application's parts. */
export async function startBrowser(parts: BrowserParts, signals: FirstSignals): Promise<void> {
  const { build, table } = parts;
  const text = document.getElementById(hydrationElementId)?.textContent;
  const first = text ? readHydration(text, table, lateInDocument()) : undefined;
  const code = createCodeLoader(parts);
  const failed =
    first?.page.preamble.build === build ? await missing(code.view(first.page.view)) : pageErrors.noPageInDocument();
  if (!first || failed !== undefined) {
    // Links and forms of the document work without us; a page put together from two builds might not.
    signals.errorCaught(failed, { side: "browser", during: "hydration", url: location.href, visitorSaw: "page" });
    return;
  }
  const { page, back } = first;
  leaveActionAddress();

  const match = createMatcher(table);
  const isPage = (href: string): boolean => {
    // Where neither the soft nor the hard way was open, the visitor's own click is the browser's: what has failed here would fail again.
    if (screen.isStranded) return false;
    const { origin, pathname } = new URL(href, location.href);
    const found = match(pathname);
    return origin === location.origin && found.kind === "found" && table.routes[found.index]?.kind === "page";
  };
  const place = placeNow();
  const tab = new SleepingTab(browserLimits, isPage, async () => {
    const [{ Tab, overhear }, all] = await Promise.all([import("./tab.ts"), signals.all()]);
    const awake = new Tab({
      parts,
      signals: overhear(all),
      code,
      match,
      isPage,
      screen,
      place,
      limits: browserLimits,
    });
    setRuntime(awake);
    return awake;
  });
  setRuntime(tab);
  const screen = new Screen({ ...page, sentAt: performance.now() }, withoutHash(location.href), {
    signals,
    code,
    back,
    retry: () => runtime("retry").retry(),
    lost: (error) => runtime("lost").lost(error),
  });
  catchClicks(isPage);
  // For tests and styles: until now every click was the browser's.
  document.documentElement.dataset.holdfast = "alive";
  signals.pageShown({ route: page.route, url: location.href, build, first: true });
}

/** A form that was posted before the page was alive has left its action in the address; the page is the one it was posted from. */
function leaveActionAddress(): void {
  const [path, action] = location.pathname.split(actionMarker);
  if (action !== undefined) history.replaceState(history.state, "", (path || "/") + location.search + location.hash);
}

/** What kept the code from being fetched, if anything did. */
async function missing(fetched: Promise<void>): Promise<unknown> {
  try {
    await fetched;
    return undefined;
  } catch (error) {
    return error;
  }
}
