import { createMatcher } from "#routes";
import { type BrowserSignals, silentBrowserSignals } from "#signals";
import * as pageErrors from "../errors.ts";
import { browserLimits } from "../limits.ts";
import { hydrationElementId } from "../page-data.ts";
import type { BrowserParts } from "../parts.ts";
import { setRuntime } from "../react/browser-runtime.ts";
import { catchClicks } from "./catch-clicks.ts";
import { lateInDocument } from "./late-in-document.ts";
import { createCodeLoader } from "./load-code.ts";
import { readHydration } from "./page-answer.ts";
import { Tab } from "./tab.ts";

/** Makes the page that the server sent alive, and takes over from then on. The generated entry calls it with the application's parts. */
export async function startBrowser(parts: BrowserParts, signals: BrowserSignals = silentBrowserSignals): Promise<void> {
  const text = document.getElementById(hydrationElementId)?.textContent;
  const first = text ? readHydration(text, parts.table, lateInDocument()) : undefined;
  if (!first || first.page.preamble.build !== parts.build) {
    // Links and forms of this document work without us; a page put together from two builds might not.
    signals.errorCaught(pageErrors.noPageInDocument(), {
      side: "browser",
      during: "hydration",
      url: location.href,
      visitorSaw: "page",
    });
    return;
  }
  const code = createCodeLoader(parts);
  await code.view(first.page.view);
  const tab = new Tab({ parts, signals, code, limits: browserLimits, match: createMatcher(parts.table) });
  setRuntime(tab);
  tab.open(first.page, first.back);
  catchClicks(tab);
}
