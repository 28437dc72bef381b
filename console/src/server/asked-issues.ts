import { type IssueSort, readFilter } from "holdfast/service";

/** The first is the usual one. */
const sorts: readonly IssueSort[] = ["stuck", "last-seen", "first-seen", "events", "visitors"];

/** Filter of each tab, added to the typed one. */
const tabs = { unresolved: "is:unresolved", resolved: "is:resolved", muted: "is:muted", all: "" } as const;
export type Tab = keyof typeof tabs;

/** Reads the filter from the address. A typed state takes precedence over the tab. */
export function askedFor(search: URLSearchParams): { typed: string; tab: Tab | undefined; filter: string } {
  const typed = (search.get("q") ?? "").slice(0, 1_000);
  if (readFilter(typed).states.length > 0) return { typed, tab: undefined, filter: typed };
  const tab = tabOf(search.get("tab"));
  return { typed, tab, filter: `${tabs[tab]} ${typed}` };
}

export function sortOf(search: URLSearchParams): IssueSort {
  return sorts.find((one) => one === search.get("sort")) ?? "stuck";
}

function tabOf(text: string | null): Tab {
  return text !== null && Object.hasOwn(tabs, text) ? (text as Tab) : "unresolved";
}
