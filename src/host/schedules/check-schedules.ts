import type { NamedSchedule } from "#pages";
import { isTimeZone, nextCronTime } from "#service";
import { hostErrors } from "../errors.ts";

/** Throws for a schedule that would never run, or would run as another one. */
export function checkSchedules(schedules: readonly NamedSchedule[], now: number): void {
  const names = new Set<string>();
  for (const { name, crontab, options } of schedules) {
    const { timeZone } = options;
    if (names.has(name)) throw hostErrors.wrongSchedule(name, "is there twice");
    names.add(name);
    if (timeZone !== undefined && !isTimeZone(timeZone))
      throw hostErrors.wrongSchedule(name, `has the time zone ${JSON.stringify(timeZone)}, which does not exist`);
    if (nextCronTime(crontab, timeZone, now) === undefined)
      throw hostErrors.wrongSchedule(name, `has the crontab ${JSON.stringify(crontab)}, which is never due`);
  }
}
