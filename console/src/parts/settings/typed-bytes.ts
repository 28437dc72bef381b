/** Bytes as a field of a form shows them: in a unit, with two digits after the point. */
export function shownIn(unit: number, bytes: number): number {
  return Math.round((bytes / unit) * 100) / 100;
}

/** Reads such a field. The number that was shown is the value that is kept, with all its digits. */
export function typedBytes(text: string, unit: number, kept: number): number {
  const typed = Number(text);
  return typed === shownIn(unit, kept) ? kept : Math.round(typed * unit);
}
