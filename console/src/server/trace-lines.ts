/**
 * Rows of a waterfall in columns: as objects, five thousand would be three times as large, because each field name
 * would be sent five thousand times.
 */
export interface PackedLines {
  ids: string[];
  /** Operation and name, separated by a tab. */
  texts: string[];
  depths: number[];
  /** Microseconds since the start of the trace. */
  starts: number[];
  /** Microseconds. */
  tooks: number[];
  selfs: number[];
  /** The status if it is not ok, else empty. */
  troubles: string[];
  /** 1 for the critical path, 2 for a line whose parent never arrived. */
  marks: number[];
}

interface Line {
  span: { spanId: string; name: string; op?: string; status?: string; startMs: number };
  depth: number;
  durationMs: number;
  selfMs: number;
  onCriticalPath: boolean;
  isOrphan: boolean;
}

const longestName = 160;

export function packLines(lines: readonly Line[], startMs: number): PackedLines {
  const micro = (ms: number): number => Math.round(ms * 1_000);
  return {
    ids: lines.map(({ span }) => span.spanId),
    texts: lines.map(({ span }) => `${span.op ?? ""}\t${span.name.slice(0, longestName)}`),
    depths: lines.map(({ depth }) => depth),
    starts: lines.map(({ span }) => micro(span.startMs - startMs)),
    tooks: lines.map(({ durationMs }) => micro(durationMs)),
    selfs: lines.map(({ selfMs }) => micro(selfMs)),
    troubles: lines.map(({ span: { status = "ok" } }) => (status === "ok" || status === "unset" ? "" : status)),
    marks: lines.map(({ onCriticalPath, isOrphan }) => (onCriticalPath ? 1 : 0) + (isOrphan ? 2 : 0)),
  };
}

/** Returns the matching lines and their ancestors, so that the tree stays connected. */
export function keepWithParents<One extends { depth: number; span: { name: string; op?: string } }>(
  lines: readonly One[],
  filter: string,
): readonly One[] {
  const word = filter.toLowerCase();
  if (word === "") return lines;
  const kept: One[] = [];
  let wanted = -1;
  for (const line of lines.toReversed()) {
    const fits = `${line.span.op ?? ""} ${line.span.name}`.toLowerCase().includes(word);
    if (!fits && line.depth !== wanted) continue;
    kept.push(line);
    wanted = line.depth - 1;
  }
  return kept.reverse();
}
