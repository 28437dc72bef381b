/** What a vital measures, in plain words. Its abbreviation says it only to those who know it. */
export const vitalWords = {
  lcp: "Main content",
  inp: "Input response",
  cls: "Layout shift",
  fcp: "First content",
  ttfb: "First byte",
} as const;
