import type { Desk } from "holdfast/service";

type PageAnswer = ReturnType<Desk["pages"]>[number];

/** For tests: what is known of a page that nobody has visited, and whatever else is said of it. */
export function unmeasuredPage(fields: Partial<PageAnswer> & { route: string }): PageAnswer {
  return {
    views: 0,
    load: undefined,
    navigation: undefined,
    request: undefined,
    vitals: {},
    navigations: {},
    prefetches: {},
    fullLoads: {},
    errors: 0,
    timeSpentMs: 0,
    ...fields,
  };
}
