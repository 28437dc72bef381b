import type { MonitorSchedule } from "#protocol";
import { readCrontab } from "./cron.ts";

/** A schedule in words: `every day at 03:00 (Europe/Berlin)`. */
export function describeSchedule(schedule: MonitorSchedule): string {
  if (schedule.kind === "interval") return everyTime(schedule.everyMs);
  const { expression, timeZone = "UTC" } = schedule;
  if (readCrontab(expression) === undefined) return `"${expression}", which is no crontab`;
  const words = wordsOf(expression.trim().toLowerCase());
  return words === undefined ? `by the crontab ${expression} (${timeZone})` : words.replace("ZONE", `(${timeZone})`);
}

const units = [
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

function everyTime(ms: number): string {
  const [unit, size] = units.find(([, each]) => ms % each === 0) ?? ["minute", 60_000];
  return every(ms / size, unit);
}

function every(n: number, unit: string): string {
  return n === 1 ? `every ${unit}` : `every ${n} ${unit}s`;
}

const shorthands: Readonly<Record<string, string>> = {
  "@hourly": "every hour",
  "@daily": "every day at 00:00 ZONE",
  "@midnight": "every day at 00:00 ZONE",
  "@weekly": "every Sunday at 00:00 ZONE",
  "@monthly": "on day 1 of every month at 00:00 ZONE",
  "@yearly": "every year on 1 January at 00:00 ZONE",
  "@annually": "every year on 1 January at 00:00 ZONE",
};

/** The usual forms. Undefined for all others, which only the crontab itself says briefly. */
function wordsOf(text: string): string | undefined {
  const short = shorthands[text];
  if (short !== undefined) return short;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = text.split(/\s+/);
  const isEveryDay = day === "*" && month === "*" && weekday === "*";
  const step = /^\*\/(\d+)$/;
  if (isEveryDay && hour === "*") {
    if (minute === "*") return "every minute";
    if (isNumber(minute)) return `every hour at :${two(minute)}`;
    const by = step.exec(minute)?.[1];
    // Other steps begin again with each hour.
    return by !== undefined && 60 % Number(by) === 0 ? every(Number(by), "minute") : undefined;
  }
  const byHours = step.exec(hour)?.[1];
  if (isEveryDay && isNumber(minute) && byHours !== undefined && 24 % Number(byHours) === 0)
    return `${every(Number(byHours), "hour")} at :${two(minute)} ZONE`;
  if (!isNumber(minute) || !isNumber(hour)) return undefined;
  const time = `at ${two(hour)}:${two(minute)} ZONE`;
  if (isEveryDay) return `every day ${time}`;
  if (day === "*" && month === "*") return weekdayWords(weekday)?.concat(" ", time);
  if (weekday !== "*" || !isNumber(day)) return undefined;
  if (month === "*") return `on day ${Number(day)} of every month ${time}`;
  const name = nameOf(month, months, 1);
  return name && `every year on ${Number(day)} ${name} ${time}`;
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

function weekdayWords(text: string): string | undefined {
  const [first = "", last, ...more] = text.split("-");
  if (more.length > 0) return undefined;
  if (last !== undefined) {
    const [from, to] = [nameOf(first, weekdays, 0), nameOf(last, weekdays, 0)];
    return from && to && `from ${from} to ${to}`;
  }
  const names = text.split(",").map((one) => nameOf(one, weekdays, 0));
  return names.includes(undefined) ? undefined : `every ${names.join(", ")}`;
}

function nameOf(text: string, names: readonly string[], first: number): string | undefined {
  if (isNumber(text)) return names[Number(text) - first];
  return names.find((name) => name.toLowerCase().slice(0, 3) === text.slice(0, 3) && /^[a-z]+$/.test(text));
}

function isNumber(text: string): boolean {
  return /^\d{1,2}$/.test(text);
}

function two(text: string): string {
  return text.padStart(2, "0");
}
