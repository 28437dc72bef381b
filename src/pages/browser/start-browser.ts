import { languages, slashes } from "#routes/href";
import type { FirstSignals } from "#signals";
import { earlyLimits } from "../early-limits.ts";
import * as pageErrors from "../errors.ts";
import { actionMarker, hydrationElementId } from "../page-data.ts";
import type { BrowserParts, Lazy } from "../parts.ts";
import { runtime, setRuntime } from "../react/browser-runtime.ts";
import { catchClicks } from "./catch-clicks.ts";
import { lateInDocument } from "./data/late-in-document.ts";
import { readHydration, withoutHash } from "./data/page-answer.ts";
import { DeferredTab } from "./deferred-tab.ts";
import { createCodeLoader } from "./load-code.ts";
import type { ImportFrom } from "./navigation/import-again.ts";
import { placeNow } from "./place.ts";
import { savesData } from "./prefetch/saves-data.ts";
import { Screen } from "./show/screen.tsx";

/** Chromium never calls a page idle whose animation takes the whole of each frame. */
const idleMs = 2_000;

/** The code that loads after hydration. The build adds `importFrom`. */
export type Later = typeof import("./later.ts") & { readonly importFrom: ImportFrom };

/**
 * Hydrates the page that the server sent and takes over its navigation. The generated entry calls it with the
 * application's parts.
 */
export async function startBrowser(parts: BrowserParts, signals: FirstSignals, later: Lazy<Later>): Promise<void> {
  const { build, routes } = parts;
  const text = document.getElementById(hydrationElementId)?.textContent;
  const first = text ? readHydration(text, routes, lateInDocument()) : undefined;
  const code = createCodeLoader(parts, later);
  // The document's links and forms work without us. A page mixed from two builds might not.
  const report = (error: unknown) =>
    signals.errorCaught(error, { side: "browser", during: "hydration", url: location.href, visitorSaw: "page" });
  if (first?.page.preamble.build !== build) {
    report(pageErrors.noPageInDocument());
    return;
  }
  /** As the inline script does with this code itself. */
  const loadPage = (pauseMs: number): Promise<void> =>
    (languages
      ? Promise.all([code.view(first.page.view), languages.learn(location.href, parts.texts, code.import)]).then(
          nothing,
        )
      : code.view(first.page.view)
    ).catch((error: unknown) => {
      report(error);
      return new Promise<void>((resolve) => setTimeout(() => resolve(loadPage(2 * pauseMs)), pauseMs));
    });
  await loadPage(2_000);
  const { page, back, at } = first;
  leaveActionAddress(at);

  const place = placeNow();
  const tab = new DeferredTab(earlyLimits, async () => {
    const [loaded, all] = await Promise.all([code.later(), signals.all()]);
    const loadedTab = new loaded.Tab({
      ...loaded,
      parts,
      signals: loaded.forwardToListeners(all),
      code,
      screen,
      place,
    });
    setRuntime(loadedTab);
    return loadedTab;
  });
  setRuntime(tab);
  // Removes the inline handler that followed the history until this code had loaded.
  window.onpopstate = null;
  const screen = new Screen(page, withoutHash(location.href), {
    signals,
    code,
    back,
    retry: () => runtime("retry").retry(),
    lost: (error) => runtime("lost").lost(error),
    alive: () => {
      // For tests and styles.
      document.documentElement.dataset.holdfast = "alive";
      // Safari has no idle callbacks: its timer takes the object for 0. With Save-Data the code is loaded at the
      // visitor's first input.
      const whenIdle = globalThis.requestIdleCallback ?? (setTimeout as unknown as typeof requestIdleCallback);
      if (!savesData()) whenIdle(() => tab.wake(), { timeout: idleMs });
    },
  });
  catchClicks();
  const { params, digest } = page.view;
  signals.pageShown({ route: page.route, params, build, first: true, digest });
}

function nothing(): void {
  // Only the time counts.
}

/**
 * A form that was posted before hydration leaves its action in the address. Restores the address of its page, which is
 * `at` if the action belongs to another one.
 */
function leaveActionAddress(at: string | undefined): void {
  const [path, action] = location.pathname.split(actionMarker);
  if (action !== undefined)
    history.replaceState(
      history.state,
      "",
      at ?? (slashes ? slashes.spell(path || "/") : path || "/") + location.search + location.hash,
    );
}
