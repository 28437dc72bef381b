/** Our part of each history entry's state: its place number. */
export interface HistoryMark {
  holdfast: number;
}

/** The place number of the browser's current entry; undefined if we have not numbered it yet. */
export function placeNow(): number | undefined {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "holdfast" in state && typeof state.holdfast === "number"
    ? state.holdfast
    : undefined;
}
