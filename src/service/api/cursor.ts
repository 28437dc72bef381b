/**
 * Position in a list that is ordered by time, newest first. Several rows may have the time of the last one, so the
 * cursor also has how many of them were read.
 */
export interface TimeCursor {
  readonly at: number;
  readonly skip: number;
}

export function writeTimeCursor({ at, skip }: TimeCursor): string {
  return `${at.toString(36)}.${skip.toString(36)}`;
}

/** Undefined for a text that no response has had. */
export function readNumbers(text: string): readonly [number, number] | undefined {
  const match = /^([0-9a-z]{1,10})\.([0-9a-z]{1,10})$/.exec(text);
  return match?.[1] && match[2] ? [Number.parseInt(match[1], 36), Number.parseInt(match[2], 36)] : undefined;
}

export function readTimeCursor(text: string): TimeCursor | undefined {
  const [at, skip] = readNumbers(text) ?? [];
  return at === undefined || skip === undefined ? undefined : { at, skip };
}

export interface TimePage<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/** The next page of rows that are sorted by time, newest first, and begin at or before the time of the cursor. */
export function timePage<T extends { readonly at: number }>(
  rows: readonly T[],
  cursor: TimeCursor | undefined,
  limit: number,
): TimePage<T> {
  const begin = cursor === undefined ? 0 : cursor.skip + rows.findIndex(({ at }) => at <= cursor.at);
  const items = rows.slice(begin, begin + limit);
  const last = items.at(-1);
  if (last === undefined || begin + items.length >= rows.length) return { items };
  const first = rows.findIndex(({ at }) => at === last.at);
  return { items, next: writeTimeCursor({ at: last.at, skip: begin + items.length - first }) };
}
