import { actionMarker } from "../page-data.ts";
import { runtimeIfRunning } from "../react/browser-runtime.ts";

/**
 * A same-origin link that leads away from the page that is shown, and that the visitor did not ask the browser to treat
 * specially.
 */
export function ownLink(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement)) return undefined; // SVG has links of its own kind
  const { dataset, origin, rel } = link;
  const foreign =
    origin !== location.origin || (link.target && link.target !== "_self") || link.hasAttribute("download");
  return foreign || "hard" in dataset || /\bexternal\b/.test(rel) ? undefined : link;
}

/** The browser itself moves inside a page: it scrolls, focuses and makes the history entry. */
export function isHashOnly(href: string): boolean {
  const { pathname, search, hash } = new URL(href);
  return (hash !== "" || href.endsWith("#")) && pathname === location.pathname && search === location.search;
}

/** One listener for all links and forms of the document, those of the application and plain ones alike. */
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
    if (!link || isHashOnly(link.href) || !tab?.isPage(link.href)) return;
    event.preventDefault();
    const { replace, scroll, transition } = link.dataset;
    tab.navigate(link.href, {
      replace: replace !== undefined,
      keepScroll: scroll === "keep",
      transition: transition !== undefined,
    });
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    const { submitter } = event;
    const said = (name: "action" | "method" | "target") =>
      submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
    const to = new URL(said("action") || location.href, document.baseURI);
    if (to.origin !== location.origin || (said("target") && said("target") !== "_self") || "hard" in form.dataset)
      return;
    const data = new FormData(form, submitter);
    if (said("method").toLowerCase() === "post") {
      if (!to.pathname.includes(actionMarker)) return;
      event.preventDefault();
      runtimeIfRunning()?.submit({ href: to.href, form: data, element: form, submitter });
      return;
    }
    // As the browser does it: the fields replace the search of the address.
    to.search = String(
      new URLSearchParams([...data].map(([name, value]) => [name, typeof value === "string" ? value : value.name])),
    );
    const tab = runtimeIfRunning();
    if (!tab?.isPage(to.href)) return;
    event.preventDefault();
    tab.navigate(to.href);
  });
}
