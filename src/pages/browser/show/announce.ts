import { ownElement } from "../own-element.ts";

/** Creates the live region, which must exist before its first message: screen readers announce changes only. */
export function openAnnouncer(): HTMLElement {
  return ownElement("announcer", (element) => {
    element.role = "status";
    element.ariaLive = "assertive";
    element.style.cssText =
      "position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap";
  });
}

/** Announces the page's title to screen readers, even if it has not changed. */
export function announce(): void {
  const region = openAnnouncer();
  const title = document.title || document.querySelector("h1")?.textContent || location.pathname;
  // Screen readers ignore the same text again; a no-break space makes it different.
  region.textContent = region.textContent === title ? `${title}\u00a0` : title;
}

/**
 * Returns a path to the focused element, by which it is found again when the same page is shown later. Empty when
 * nothing is focused.
 */
export function focusedPath(): string {
  const steps: string[] = [];
  for (let at = document.activeElement; at && at !== document.body; at = at.parentElement) {
    const { localName } = at;
    const alike = [...(at.parentElement?.children ?? [])].filter((one) => one.localName === localName);
    // Counted among elements of the same name: scripts that only the first document contains do not matter.
    steps.unshift(`${CSS.escape(localName)}:nth-of-type(${alike.indexOf(at) + 1})`);
  }
  return steps.join(">");
}

/**
 * Moves focus to the start of the new page, or back to where it was. `before`: as `focusedPath` names it; undefined for
 * a page that begins. `frame`: the part of the window with the page.
 */
export function focusPage(before?: string, frame: HTMLElement = document.body): void {
  const element =
    // In a dialog's page only: the path may also lead to an element below.
    (before ? (frame.closest("dialog") ?? document).querySelector<HTMLElement>(`body>${before}`) : undefined) ??
    frame.querySelector<HTMLElement>("[data-page-focus]") ??
    frame.querySelector<HTMLElement>("h1") ??
    frame.querySelector<HTMLElement>("main") ??
    frame;
  if (element.tabIndex < 0 && !element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  if (frame === document.body) return;
  // Of a changed part the window may show nothing: on a phone it is below the list.
  const sought = before !== undefined && frame.contains(element) ? frame : element;
  const { top, bottom } = sought.getBoundingClientRect();
  if (bottom < 0 || top > innerHeight) sought.scrollIntoView({ block: before ? "center" : "start" });
}
