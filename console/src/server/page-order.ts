import type { ConsoleApi } from "holdfast/service";

type PageAnswer = Awaited<ReturnType<ConsoleApi["pages"]>>[number];

/** Sort keys of the columns of the Pages screen, descending. */
const measures: Readonly<Record<string, (page: PageAnswer) => number | undefined>> = {
  views: ({ views }) => views,
  errors: ({ errors }) => errors,
  load: ({ load }) => load?.p75,
  navigation: ({ navigation }) => navigation?.p75,
  server: ({ request }) => request?.p75,
  cache: ({ cache }) => cache?.hitRate,
  lcp: ({ vitals }) => vitals.lcp?.p75,
  inp: ({ vitals }) => vitals.inp?.p75,
  cls: ({ vitals }) => vitals.cls?.p75,
  fcp: ({ vitals }) => vitals.fcp?.p75,
  ttfb: ({ vitals }) => vitals.ttfb?.p75,
};

/** Sorts pages by a measure, those without it last. Without a measure, keeps the order by time spent. */
export function inOrder(pages: readonly PageAnswer[], by: string): readonly PageAnswer[] {
  const measure = Object.hasOwn(measures, by) ? measures[by] : undefined;
  return measure ? pages.toSorted((a, b) => (measure(b) ?? -1) - (measure(a) ?? -1)) : pages;
}
