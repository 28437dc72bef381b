import { useContext } from "react";
import { Zone } from "./zone.ts";

/**
 * A relative time, with the exact one as its title. `now` is the server's, so that server and browser render the same.
 */
export function TimeAgo({ at, now }: { at: number; now: number }) {
  const local = useExact()(at);
  const utc = exactTime(at);
  return (
    // Both forms begin alike, so that long lists compress better.
    <time dateTime={utc.replace(" UTC", "Z")} title={local === utc ? utc : `${local} (${utc})`}>
      {ago(now - at)}
    </time>
  );
}

/** A time in the zone of the person, with UTC as its title. */
export function ExactTime({ at }: { at: number }) {
  const utc = exactTime(at);
  return (
    <time dateTime={utc.replace(" UTC", "Z")} title={utc}>
      {useExact()(at)}
    </time>
  );
}

/** Writes a time in the zone of the person, for example `2026-11-16 14:03:11`. */
export type Exact = (at: number) => string;

export function useExact(): Exact {
  const zone = useContext(Zone);
  return (at) => (zone === "UTC" ? exactTime(at) : formatOf(zone).format(at));
}

/** In UTC: the same for everybody, and in every document. */
export function exactTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Swedish times are like ISO dates. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known =
    formats.get(timeZone) ?? new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium", timeZone });
  formats.set(timeZone, known);
  return known;
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
