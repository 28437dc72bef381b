import type { ConsoleApi } from "holdfast/service";

type PageAnswer = Awaited<ReturnType<ConsoleApi["pages"]>>[number];

/** For tests: a page without visits, with the given values. */
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
    cache: undefined,
    errors: 0,
    timeSpentMs: 0,
    ...fields,
  };
}
