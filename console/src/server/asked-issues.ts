import type { Cookies } from "holdfast/server";
import { consoleApi, type IssueSort, type Person, readFilter } from "holdfast/service";
import { environmentIn, withEnvironment } from "./own-choices.ts";

/** The first is the usual one. */
const sorts: readonly IssueSort[] = ["stuck", "last-seen", "first-seen", "events", "visitors"];

/** Filter of each tab, added to the typed one. */
const tabs = { unresolved: "is:unresolved", resolved: "is:resolved", muted: "is:muted", all: "" } as const;
export type Tab = keyof typeof tabs;

/**
 * Reads the filter from the address. A typed state takes precedence over the tab, a typed environment over the chosen
 * one. `inAllTabs` is the filter without the state of the tab.
 */
export function askedFor(
  search: URLSearchParams,
  cookies: Pick<Cookies, "get">,
  person: Person,
): { typed: string; tab: Tab | undefined; inAllTabs: string; filter: string } {
  const typed = (search.get("q") ?? "").slice(0, 1_000);
  const meant = consoleApi().searches.forPerson(typed, person.name);
  const inAllTabs = withEnvironment(meant, environmentIn(search, cookies));
  if (readFilter(typed).states.length > 0) return { typed, tab: undefined, inAllTabs, filter: inAllTabs };
  const tab = tabOf(search.get("tab"));
  return { typed, tab, inAllTabs, filter: `${tabs[tab]} ${inAllTabs}` };
}

export function sortOf(search: URLSearchParams): IssueSort {
  return sorts.find((one) => one === search.get("sort")) ?? "stuck";
}

function tabOf(text: string | null): Tab {
  return text !== null && Object.hasOwn(tabs, text) ? (text as Tab) : "unresolved";
}
