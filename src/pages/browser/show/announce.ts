import { ownElement } from "../own-element.ts";

/** Must be there before it says anything: a screen reader hears changes, not beginnings. */
export function openAnnouncer(): HTMLElement {
  return ownElement("announcer", (element) => {
    element.role = "status";
    element.ariaLive = "assertive";
    element.style.cssText =
      "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap";
  });
}

/** Says the page's title to those who do not see it change, also when it is the same as before. */
export function announce(): void {
  const region = openAnnouncer();
  const said = document.title || document.querySelector("h1")?.textContent || location.pathname;
  // The same words twice are no change to a screen reader; a no-break space makes them one.
  region.textContent = region.textContent === said ? `${said}\u00a0` : said;
}

/**
 * Names the element that has the focus, so that it is found again when the same page is shown once more; empty when
 * nothing has.
 */
export function focusedPath(): string {
  const steps: string[] = [];
  for (let at = document.activeElement; at && at !== document.body; at = at.parentElement) {
    const { localName } = at;
    const alike = [...(at.parentElement?.children ?? [])].filter((one) => one.localName === localName);
    // Among its like: the scripts that a document has and a page shown later has not do not count.
    steps.unshift(`${CSS.escape(localName)}:nth-of-type(${alike.indexOf(at) + 1})`);
  }
  return steps.join(">");
}

/** Moves focus to where the new page begins, or on a return to where it was. */
export function focusPage(before?: string): void {
  const element =
    (before ? document.querySelector<HTMLElement>(`body>${before}`) : undefined) ??
    document.querySelector<HTMLElement>("[data-page-focus]") ??
    document.querySelector<HTMLElement>("h1") ??
    document.querySelector<HTMLElement>("main") ??
    document.body;
  if (element.tabIndex < 0 && !element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
