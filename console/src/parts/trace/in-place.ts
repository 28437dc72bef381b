/** Of links that replace the page, at the same scroll position. */
export const inPlace = { "data-scroll": "keep", "data-replace": "", "data-prefetch": "none" } as const;
