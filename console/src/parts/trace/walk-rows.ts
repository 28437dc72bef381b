import type { ShownRow } from "../../server/trace/show-trace.ts";

/**
 * Up and down move by row, Home and End to the ends. Right unfolds, then moves to the first child; left folds, then
 * moves to the parent. Enter is the link's own key.
 */
export function walkRows(event: KeyboardEvent, rows: readonly ShownRow[]): void {
  const element = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-place]") : null;
  const body = element?.closest("tbody");
  if (!element || !body || event.altKey || event.ctrlKey || event.metaKey) return;
  const at = Number(element.dataset.place);
  const row = rows[at];
  const to = row && placeAfter(event.key, at, row, rows);
  if (to === undefined) return;
  event.preventDefault();
  if (to === "fold") element.querySelector<HTMLElement>(".fold")?.click();
  else focusPlace(body, Math.min(rows.length - 1, Math.max(0, to)), rows.length);
}

function placeAfter(key: string, at: number, row: ShownRow, rows: readonly ShownRow[]): number | "fold" | undefined {
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "ArrowLeft":
      if (row.fold === "open") return "fold";
      return rows.findLastIndex(({ depth }, place) => place < at && depth < row.depth);
    case "ArrowRight":
      return row.fold === "folded" ? "fold" : row.fold === "open" ? at + 1 : at;
    case "Home":
      return 0;
    case "End":
      return rows.length - 1;
    default:
      return undefined;
  }
}

/** The row may not be rendered yet: scrolls to its place, and focuses the row that appears. */
function focusPlace(body: HTMLElement, place: number, count: number): void {
  const find = (): HTMLElement | null => body.querySelector<HTMLElement>(`[data-place="${place}"] a`);
  const link = find();
  if (link) return link.focus();
  const { top, height } = body.getBoundingClientRect();
  window.scrollTo({ top: window.scrollY + top + (place * height) / count - window.innerHeight / 2 });
  let tries = 0;
  const again = (): void => {
    const appeared = find();
    if (appeared) appeared.focus({ preventScroll: true });
    else if (tries++ < 30) requestAnimationFrame(again);
  };
  requestAnimationFrame(again);
}
