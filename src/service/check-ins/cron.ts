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
/** Longer than any change of a clock, which is two hours in one place and one hour elsewhere. */
const changeMs = 3 * 3_600_000;

/** Times of day of a crontab, without a zone. */
export interface Crontab {
  /** The first time from a moment on. Both are local times, encoded as if they were UTC. */
  nextWall(from: number): number | undefined;
  /** Whether it names hours, so that an hour that happens twice counts once. */
  readonly hasHours: boolean;
}

/**
 * Returns the next time of a crontab after a moment, undefined if there is none or the crontab is invalid. When clocks
 * go forward, a time that does not exist is due at the change. When they go back, a named hour is due once, and a task
 * of every hour or minute in both.
 */
export function nextCronTime(expression: string, timeZone: string | undefined, afterMs: number): number | undefined {
  const crontab = readCrontab(expression);
  let from = Math.floor(afterMs / minuteMs) * minuteMs + minuteMs;
  while (crontab !== undefined) {
    const offset = offsetAt(from, timeZone);
    const wall = crontab.nextWall(from + offset);
    if (wall === undefined) return undefined;
    const time = wall - offset;
    if (offsetAt(time, timeZone) === offset) {
      if (!crontab.hasHours || !isRepeated(wall, time, timeZone)) return time;
      from = time + minuteMs;
      continue;
    }
    const change = changeBetween(from, time, timeZone);
    if (wall < change + offsetAt(change, timeZone)) return change;
    from = change;
  }
  return undefined;
}

const lookBackMs = [2 * minuteMs, 3_600_000, 86_400_000, 32 * 86_400_000, 400 * 86_400_000, 1_500 * 86_400_000];

/** Returns the last time of a crontab up to a moment, and looks back for four years at most. */
export function lastCronTime(expression: string, timeZone: string | undefined, upTo: number): number | undefined {
  for (const back of lookBackMs) {
    let last: number | undefined;
    for (let next = nextCronTime(expression, timeZone, upTo - back); next !== undefined && next <= upTo; ) {
      last = next;
      next = nextCronTime(expression, timeZone, next);
    }
    if (last !== undefined) return last;
  }
  return undefined;
}

/** Whether clocks have gone back shortly before, and showed the same time then. */
function isRepeated(wall: number, time: number, timeZone: string | undefined): boolean {
  const offset = offsetAt(time - changeMs, timeZone);
  const earlier = wall - offset;
  return earlier < time && offsetAt(earlier, timeZone) === offset;
}

/** The first minute with another offset, between two moments whose offsets differ. */
function changeBetween(from: number, to: number, timeZone: string | undefined): number {
  const offset = offsetAt(from, timeZone);
  let [before, after] = [from, to];
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (offsetAt(middle, timeZone) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** Undefined if the text is no crontab. */
export function readCrontab(expression: string): Crontab | undefined {
  const text = expression.trim().toLowerCase();
  const parts = (shorthands.get(text) ?? text).split(/\s+/);
  const [minutes, hours, days, months, weekdays] = parts.map((part, at) => valuesOf(part, fields[at]));
  if (parts.length !== fields.length || !minutes || !hours || !days || !months || !weekdays) return undefined;
  // As in cron: if both a day of the month and a day of the week are given, either is enough.
  const isEither = !isAny.test(parts[2] ?? "") && !isAny.test(parts[4] ?? "");
  const isDay = (date: Date): boolean => {
    const isMonthDay = days.has(date.getUTCDate());
    const isWeekday = weekdays.has(date.getUTCDay()) || (date.getUTCDay() === 0 && weekdays.has(7));
    return isEither ? isMonthDay || isWeekday : isMonthDay && isWeekday;
  };
  const nextWall = (from: number): number | undefined => {
    let wall = from;
    for (let step = 0; step < mostSteps; step += 1) {
      const date = new Date(wall);
      const [year, month, day, hour] = [
        date.getUTCFullYear(),
        date.getUTCMonth(),
        date.getUTCDate(),
        date.getUTCHours(),
      ];
      if (!months.has(month + 1)) wall = Date.UTC(year, month + 1, 1);
      else if (!isDay(date)) wall = Date.UTC(year, month, day + 1);
      else if (!hours.has(hour)) wall = Date.UTC(year, month, day, hour + 1);
      else if (!minutes.has(date.getUTCMinutes())) wall += minuteMs;
      else return wall;
    }
    return undefined;
  };
  return { nextWall, hasHours: !isAny.test(parts[1] ?? "") };
}

const isAny = /^[*?]/;

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

/** Whether a time zone has this name. */
export function isTimeZone(timeZone: string): boolean {
  return newFormat(timeZone) !== undefined;
}

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
