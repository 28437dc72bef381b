import type { QuietHours } from "./alert-settings.ts";

const hourMs = 3_600_000;

/** End of the quiet hours, if it is quiet at this moment. */
export function quietUntil(now: number, quiet: QuietHours | undefined): number | undefined {
  if (quiet === undefined || !isQuiet(now, quiet)) return undefined;
  // Time zones differ from each other by quarters of an hour, and days may have 23 or 25 hours.
  const quarter = hourMs / 4;
  let at = now;
  for (let quarters = 0; isQuiet(at, quiet) && quarters < 100; quarters += 1)
    at = Math.floor(at / quarter + 1) * quarter;
  return at;
}

function isQuiet(at: number, { from, to, timeZone }: QuietHours): boolean {
  const hour = Number(new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone }).format(at));
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}
