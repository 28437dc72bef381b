import { type UIEvent, useState } from "react";

const rowPixels = 44;
/** Rows above and below the visible ones, so that none is missing while the page scrolls. */
const spare = 10;
/** Before the first scroll, and without JavaScript: a whole page of the list. */
const atFirst = { from: 0, to: 100 };

/** Which rows of a long list are in the document: those that its box shows, and some around them. */
export function useVisibleRows(count: number) {
  const [{ from, to }, setVisible] = useState(atFirst);
  const follow = ({ scrollTop, clientHeight }: HTMLElement): void => {
    const first = Math.max(0, Math.floor(scrollTop / rowPixels) - spare);
    const last = Math.ceil((scrollTop + clientHeight) / rowPixels) + spare;
    // By steps of ten rows: most events of scrolling change nothing.
    const next = { from: first - (first % spare), to: last - (last % spare) + spare };
    setVisible((before) => (before.from === next.from && before.to === next.to ? before : next));
  };
  const begin = Math.min(from, count);
  const end = Math.min(to, count);
  return {
    from: begin,
    to: end,
    /** Heights in place of the rows that are not there, in pixels. */
    above: begin * rowPixels,
    below: (count - end) * rowPixels,
    box: { onScroll: (event: UIEvent<HTMLElement>) => follow(event.currentTarget) },
  };
}
