/** What decides whether two lines repeat each other. */
interface Step {
  who: string | undefined;
  kind: string;
  text: string;
  route: string | undefined;
  isView: boolean;
}

/**
 * Repetitions of a step become one row with a count, as long as the visitor does nothing else in between. Lines and
 * rows are newest first, and a row has the newest line. Two views of a page are the same step, however long each took.
 */
export function foldLines<Line extends Step>(lines: readonly Line[]): (Line & { times: number })[] {
  const rows: (Line & { times: number })[] = [];
  const last = new Map<string | undefined, Line & { times: number }>();
  for (const line of lines) {
    const row = last.get(line.who);
    if (row && row.kind === line.kind && row.route === line.route && (row.isView || row.text === line.text))
      row.times++;
    else {
      const first = { ...line, times: 1 };
      last.set(line.who, first);
      rows.push(first);
    }
  }
  return rows;
}
