import { slashes } from "#routes/href";
import { actionMarker } from "../page-data.ts";
import { runtimeIfRunning } from "../react/browser-runtime.ts";

/**
 * Finds a same-origin link that the browser would open in this tab: no `target`, no `download`, no opt-out
 * (`data-hard`, `rel="external"`).
 */
export function ownLink(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement)) return undefined; // an SVG link is an SVGAElement
  const { dataset, origin, rel } = link;
  const foreign =
    origin !== location.origin || (link.target && link.target !== "_self") || link.hasAttribute("download");
  return foreign || "hard" in dataset || /\bexternal\b/.test(rel) ? undefined : link;
}

/** Whether a link only moves inside the page. The browser handles these itself: scroll, focus and history entry. */
export function isHashOnly(href: string): boolean {
  const { pathname, search, hash } = new URL(href);
  return (hash !== "" || href.endsWith("#")) && pathname === location.pathname && search === location.search;
}

/** Listens for clicks and submits of the whole document, so that plain `<a>` and `<form>` elements work too. */
export function catchClicks(): void {
  document.addEventListener("click", (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = ownLink(event.composedPath()[0] ?? null);
    const tab = runtimeIfRunning();
    if (slashes && tab && link) slashes.spellLink(link, (href) => tab.isPage(href));
    if (!link || isHashOnly(link.href) || !tab?.isPage(link.href)) return;
    event.preventDefault();
    const { replace, scroll, transition, dialog } = link.dataset;
    tab.navigate(link.href, {
      replace: replace !== undefined,
      keepScroll: scroll === "keep",
      transition: transition !== undefined,
      dialog: dialog !== undefined,
    });
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    const { submitter } = event;
    const attribute = (name: "action" | "method" | "target") =>
      submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
    const to = new URL(attribute("action") || location.href, document.baseURI);
    if (
      to.origin !== location.origin ||
      (attribute("target") && attribute("target") !== "_self") ||
      "hard" in form.dataset
    )
      return;
    const data = new FormData(form, submitter);
    if (attribute("method").toLowerCase() === "post") {
      if (!to.pathname.includes(actionMarker)) return;
      event.preventDefault();
      runtimeIfRunning()?.submit({ href: to.href, form: data, element: form, submitter });
      return;
    }
    // Like the browser's own GET submission, the fields replace the search of the address.
    to.search = String(
      new URLSearchParams([...data].map(([name, value]) => [name, typeof value === "string" ? value : value.name])),
    );
    const tab = runtimeIfRunning();
    if (slashes && tab) slashes.spellLink(to, (href) => tab.isPage(href));
    if (!tab?.isPage(to.href)) return;
    event.preventDefault();
    tab.navigate(to.href);
  });
}
