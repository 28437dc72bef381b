/**
 * The lines of a waterfall in columns: five thousand of them as objects would be three times as much to send, and each
 * name of a field would be sent five thousand times.
 */
export interface PackedLines {
  ids: string[];
  /** Operation and name, apart by a tab. */
  texts: string[];
  depths: number[];
  /** Microseconds after the beginning of the trace. */
  starts: number[];
  /** Microseconds. */
  tooks: number[];
  selfs: number[];
  /** The status where it is not ok, else empty. */
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

/** The lines that fit and all they hang on, so that the tree stays one. */
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
