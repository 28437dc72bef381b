/**
 * A relative time, with the exact one as its title. `now` is the server's, so that server and browser render the same.
 */
export function TimeAgo({ at, now }: { at: number; now: number }) {
  const exact = exactTime(at);
  return (
    // Both forms begin alike, so that long lists compress better.
    <time dateTime={exact.replace(" UTC", "Z")} title={exact}>
      {ago(now - at)}
    </time>
  );
}

export function exactTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const units: readonly (readonly [name: string, ms: number])[] = [
  ["y", 31_557_600_000],
  ["mo", 2_629_800_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

export function ago(ms: number): string {
  const unit = units.find(([, size]) => Math.abs(ms) >= size);
  if (!unit) return "just now";
  const text = `${Math.floor(Math.abs(ms) / unit[1])} ${unit[0]}`;
  return ms > 0 ? `${text} ago` : `in ${text}`;
}
