import { type RefObject, useEffect, useState } from "react";

export interface RowWindow {
  first: number;
  /** Exclusive. */
  end: number;
}

/** Extra rows on both sides, so that fast scrolling meets rows and not gaps. */
const aheadRows = 30;

/**
 * Returns the rows near the visible ones, of very many rows of equal height. Before hydration, those in the document.
 * The list is as high as all its rows.
 */
export function useRowWindow(list: RefObject<HTMLElement | null>, count: number, atFirst: RowWindow): RowWindow {
  const [shown, setShown] = useState(atFirst);
  useEffect(() => {
    let waiting = 0;
    const look = (): void => {
      waiting = 0;
      const { top, height } = list.current?.getBoundingClientRect() ?? { top: 0, height: 0 };
      const rowPx = height / count || 1;
      const first = Math.max(0, Math.floor(-top / rowPx) - aheadRows);
      const end = Math.min(count, Math.ceil((window.innerHeight - top) / rowPx) + aheadRows);
      setShown((before) =>
        before.first === first && before.end === end ? before : { first, end: Math.max(first, end) },
      );
    };
    const moved = (): void => {
      waiting ||= requestAnimationFrame(look);
    };
    look();
    window.addEventListener("scroll", moved, { passive: true });
    window.addEventListener("resize", moved);
    return () => {
      cancelAnimationFrame(waiting);
      window.removeEventListener("scroll", moved);
      window.removeEventListener("resize", moved);
    };
  }, [list, count]);
  return { first: Math.min(shown.first, count), end: Math.min(shown.end, count) };
}
