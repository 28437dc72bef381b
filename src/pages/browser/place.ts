/** What the browser keeps for us in each history entry: the number of its place. */
export interface HistoryMark {
  holdfast: number;
}

/** The place number of the entry at which the browser is; undefined where we have not been yet. */
export function placeNow(): number | undefined {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "holdfast" in state && typeof state.holdfast === "number"
    ? state.holdfast
    : undefined;
}
