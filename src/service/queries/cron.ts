interface Field {
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

const fields: readonly Field[] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] },
  { from: 0, to: 7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const shorthands: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

const minuteMs = 60_000;
/** Limit of skipped months, days, hours and minutes: enough for the 29th of February on a Monday. */
const mostSteps = 20_000;

/** Returns the next time of a crontab after a moment. Undefined if there is none, or if it is invalid. */
export function nextCronTime(expression: string, timeZone: string | undefined, afterMs: number): number | undefined {
  const text = expression.trim().toLowerCase();
  const parts = (shorthands.get(text) ?? text).split(/\s+/);
  const [minutes, hours, days, months, weekdays] = parts.map((part, at) => valuesOf(part, fields[at]));
  if (parts.length !== fields.length || !minutes || !hours || !days || !months || !weekdays) return undefined;
  // As in cron: if both a day of the month and a day of the week are given, either is enough.
  const isEither = !/^[*?]/.test(parts[2] ?? "") && !/^[*?]/.test(parts[4] ?? "");
  const isDay = (date: Date): boolean => {
    const isMonthDay = days.has(date.getUTCDate());
    const isWeekday = weekdays.has(date.getUTCDay()) || (date.getUTCDay() === 0 && weekdays.has(7));
    return isEither ? isMonthDay || isWeekday : isMonthDay && isWeekday;
  };
  // Walks along the local time of the zone, encoded as if it were UTC.
  let wall = Math.floor((afterMs + offsetAt(afterMs, timeZone)) / minuteMs) * minuteMs + minuteMs;
  for (let step = 0; step < mostSteps; step += 1) {
    const date = new Date(wall);
    const [year, month, day, hour] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours()];
    if (!months.has(month + 1)) wall = Date.UTC(year, month + 1, 1);
    else if (!isDay(date)) wall = Date.UTC(year, month, day + 1);
    else if (!hours.has(hour)) wall = Date.UTC(year, month, day, hour + 1);
    else if (!minutes.has(date.getUTCMinutes())) wall += minuteMs;
    else return wall - offsetAt(wall - offsetAt(wall, timeZone), timeZone);
  }
  return undefined;
}

// Parses `*`, `5`, `1-5`, `*/15`, `mon-fri`, and lists of them.
function valuesOf(part: string, field: Field | undefined): ReadonlySet<number> | undefined {
  if (field === undefined) return undefined;
  const values = new Set<number>();
  for (const range of part.split(",")) {
    const [, whole, first, last, step] = /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(range) ?? [];
    const from = whole === undefined ? numberIn(first, field) : field.from;
    const alone = step === undefined ? from : field.to;
    const to = whole !== undefined ? field.to : last === undefined ? alone : numberIn(last, field);
    const by = Number(step ?? 1);
    if (from === undefined || to === undefined || by === 0) return undefined;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values.size === 0 ? undefined : values;
}

function numberIn(text: string | undefined, { from, to, names = [] }: Field): number | undefined {
  const named = names.indexOf((text ?? "").slice(0, 3));
  const value = named >= 0 ? named + from : Number(text);
  return Number.isInteger(value) && value >= from && value <= to ? value : undefined;
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();
// Zones are part of reports. About 600 are valid.
const mostFormats = 700;

/** Returns the offset of a zone from UTC at a moment. An invalid zone counts as UTC. */
function offsetAt(ms: number, timeZone: string | undefined): number {
  const format = timeZone === undefined ? undefined : formatOf(timeZone);
  if (format === undefined) return 0;
  const part = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const [year = 0, month = 1, day = 1] = [part.get("year"), part.get("month"), part.get("day")];
  const wall = Date.UTC(year, month - 1, day, part.get("hour") ?? 0, part.get("minute") ?? 0, part.get("second") ?? 0);
  return wall - Math.floor(ms / 1_000) * 1_000;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(timeZone) && formats.size < mostFormats) formats.set(timeZone, newFormat(timeZone));
  return formats.get(timeZone);
}

function newFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  const numeric = "numeric";
  try {
    return new Intl.DateTimeFormat("en", {
      timeZone,
      hourCycle: "h23",
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  } catch {
    // A client may send any text.
    return undefined;
  }
}
