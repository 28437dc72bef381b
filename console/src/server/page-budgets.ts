import type { ConsoleApi } from "holdfast/service";

type PageAnswer = Awaited<ReturnType<ConsoleApi["pages"]>>[number];
type PageBudgets = Awaited<ReturnType<ConsoleApi["budgets"]>>;

/** A measure that exceeds the budget of its page. */
export interface Breach {
  route: string;
  measure: string;
  p75: number;
  limit: number;
}

/** Returns every measure of these pages that is over its budget, the worst first. */
export function breachesOf(pages: readonly PageAnswer[], budgets: PageBudgets): Breach[] {
  return pages
    .flatMap((page) => {
      const budget = budgets[page.route] ?? {};
      const measured = [
        ["load", page.load?.p75, budget.loadMs],
        ["navigation", page.navigation?.p75, budget.navigationMs],
        ["server", page.request?.p75, budget.serverMs],
        ["LCP", page.vitals.lcp?.p75, budget.lcpMs],
        ["INP", page.vitals.inp?.p75, budget.inpMs],
        ["CLS", page.vitals.cls?.p75, budget.cls],
      ] as const;
      return measured.flatMap(([measure, p75, limit]) =>
        p75 !== undefined && limit !== undefined && p75 > limit ? [{ route: page.route, measure, p75, limit }] : [],
      );
    })
    .sort((a, b) => b.p75 / b.limit - a.p75 / a.limit);
}
