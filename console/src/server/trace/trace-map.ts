import type { Trace } from "./trace-rows.ts";

/** A piece of the small picture of the whole trace, in its columns and lanes. */
export interface MapPiece {
  lane: number;
  from: number;
  width: number;
  kind: string;
}

/** Finer detail than a small picture shows. The product bounds the number of pieces. */
export const mapColumns = 160;
/** One per depth; deeper spans are in the last one. */
export const mapLanes = 6;

/** Draws a trace of any number of spans with few pieces: neighbours of one kind are one. A failed span hides others. */
export function traceMap({ lines, startMs, endMs }: Pick<Trace, "lines" | "startMs" | "endMs">): readonly MapPiece[] {
  const perColumn = Math.max(endMs - startMs, Number.MIN_VALUE) / mapColumns;
  const lanes = Array.from({ length: mapLanes }, () => new Array<string>(mapColumns).fill(""));
  for (const { span, depth, kind, isFailed } of lines) {
    const lane = lanes[Math.min(depth, mapLanes - 1)];
    if (lane === undefined) continue;
    const first = Math.min(mapColumns - 1, Math.max(0, Math.floor((span.startMs - startMs) / perColumn)));
    const end = Math.max(first + 1, Math.min(mapColumns, Math.round((span.endMs - startMs) / perColumn)));
    if (isFailed) lane.fill("failed", first, end);
    else for (let column = first; column < end; column++) lane[column] ||= kind;
  }
  return lanes.flatMap(piecesOf);
}

function piecesOf(columns: readonly string[], lane: number): MapPiece[] {
  const pieces: MapPiece[] = [];
  for (const [column, kind] of columns.entries()) {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.width++;
    else pieces.push({ lane, from: column, width: 1, kind });
  }
  return pieces.filter(({ kind }) => kind !== "");
}
