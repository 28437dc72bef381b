import { type RefObject, useEffect, useState } from "react";

export interface RowWindow {
  first: number;
  /** Behind the last one. */
  end: number;
}

/** So many more than are seen, so that a quick hand meets rows and not emptiness. */
const aheadRows = 30;

/** Of very many rows of equal height, those near what is seen. Before scripts run, the ones that the document has. */
export function useRowWindow(
  list: RefObject<HTMLElement | null>,
  count: number,
  rowPx: number,
  atFirst: RowWindow,
): RowWindow {
  const [shown, setShown] = useState(atFirst);
  useEffect(() => {
    let waiting = 0;
    const look = (): void => {
      waiting = 0;
      const top = list.current?.getBoundingClientRect().top ?? 0;
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
  }, [list, count, rowPx]);
  return { first: Math.min(shown.first, count), end: Math.min(shown.end, count) };
}
