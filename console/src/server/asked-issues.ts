import type { Cookies } from "holdfast/server";
import { type IssueSort, readFilter } from "holdfast/service";
import { environmentIn, withEnvironment } from "./own-choices.ts";

/** The first is the usual one. */
const sorts: readonly IssueSort[] = ["stuck", "last-seen", "first-seen", "events", "visitors"];

/** Filter of each tab, added to the typed one. */
const tabs = { unresolved: "is:unresolved", resolved: "is:resolved", muted: "is:muted", all: "" } as const;
export type Tab = keyof typeof tabs;

/**
 * Reads the filter from the address. A typed state takes precedence over the tab, a typed environment over the chosen
 * one.
 */
export function askedFor(
  search: URLSearchParams,
  cookies: Pick<Cookies, "get">,
): { typed: string; tab: Tab | undefined; filter: string } {
  const typed = (search.get("q") ?? "").slice(0, 1_000);
  const filter = withEnvironment(typed, environmentIn(search, cookies));
  if (readFilter(typed).states.length > 0) return { typed, tab: undefined, filter };
  const tab = tabOf(search.get("tab"));
  return { typed, tab, filter: `${tabs[tab]} ${filter}` };
}

export function sortOf(search: URLSearchParams): IssueSort {
  return sorts.find((one) => one === search.get("sort")) ?? "stuck";
}

function tabOf(text: string | null): Tab {
  return text !== null && Object.hasOwn(tabs, text) ? (text as Tab) : "unresolved";
}
