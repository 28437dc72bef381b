import { pageDataSuffix } from "../../page-data.ts";

const noteId = "holdfast-cache-note";

/** Why the server did not cache a page, by its path: as `Server-Timing` of its newest response says. */
const reasons = new Map<string, string>();

/** Paths whose note the developer has closed, with its text. */
const closed = new Map<string, string>();

/**
 * Says in a corner of the page on screen why the server did not cache it. Pages without `cache` have no note. Returns a
 * function that shows the note of the page at the current address.
 */
export function watchCache(): () => void {
  const entered = (entries: readonly PerformanceEntry[]): void => {
    for (const entry of entries) if (entry instanceof PerformanceResourceTiming) remember(entry);
    showNote();
  };
  for (const type of ["navigation", "resource"])
    new PerformanceObserver((list) => entered(list.getEntries())).observe({ type, buffered: true });
  return showNote;
}

/** Also of a document: its timing is a kind of the timing of resources. */
function remember({ name, entryType, serverTiming }: PerformanceResourceTiming): void {
  const { pathname } = new URL(name);
  const isData = pathname.endsWith(pageDataSuffix);
  if (entryType !== "navigation" && !isData) return;
  const path = isData ? pathname.slice(0, -pageDataSuffix.length) || "/" : pathname;
  const cache = serverTiming.find((one) => one.name === "cache")?.description ?? "";
  if (cache.startsWith(bypass)) reasons.set(path, cache.slice(bypass.length));
  else reasons.delete(path);
}

const bypass = "bypass: ";

function showNote(): void {
  document.getElementById(noteId)?.remove();
  const path = location.pathname;
  const reason = reasons.get(path);
  if (reason === undefined || closed.get(path) === reason) return;
  const host = document.createElement("div");
  host.id = noteId;
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  shadow.adoptedStyleSheets = [sheet];
  const text = document.createElement("span");
  text.textContent = `Not cached: ${reason}`;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.ariaLabel = "Close";
  close.addEventListener("click", () => {
    closed.set(path, reason);
    host.remove();
  });
  shadow.append(text, close);
  document.documentElement.append(host);
}

const style = `:host{position:fixed;inset:auto auto 12px 12px;z-index:2147483646;display:flex;gap:8px;align-items:center;max-width:min(640px,calc(100vw - 24px));box-sizing:border-box;padding:6px 6px 6px 12px;border-radius:9px;background:#16211c;color:#f2f5f3;font:13px/1.4 system-ui,sans-serif;box-shadow:0 2px 12px #0006}
span{overflow-wrap:anywhere}
button{flex:none;width:28px;height:28px;border:0;border-radius:6px;background:none;color:inherit;font:18px/1 system-ui,sans-serif;cursor:pointer}
button:hover,button:focus-visible{background:#fff2}`;
