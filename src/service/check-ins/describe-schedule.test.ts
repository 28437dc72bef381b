import { expect, it } from "vitest";
import { describeSchedule } from "./describe-schedule.ts";

it.each([
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 minutes"],
  ["*/1 * * * *", "every minute"],
  ["*/7 * * * *", "by the crontab */7 * * * * (UTC)"],
  ["5 * * * *", "every hour at :05"],
  ["30 */6 * * *", "every 6 hours at :30 (UTC)"],
  ["0 3 * * *", "every day at 03:00 (UTC)"],
  ["0 3 * * 1-5", "from Monday to Friday at 03:00 (UTC)"],
  ["30 18 * * mon,THU", "every Monday, Thursday at 18:30 (UTC)"],
  ["0 0 * * 7", "every Sunday at 00:00 (UTC)"],
  ["0 0 1 * *", "on day 1 of every month at 00:00 (UTC)"],
  ["15 4 24 dec *", "every year on 24 December at 04:15 (UTC)"],
  ["@daily", "every day at 00:00 (UTC)"],
  ["0 0 13 * fri", "by the crontab 0 0 13 * fri (UTC)"],
  ["0 3 * * mon#2", '"0 3 * * mon#2", which is no crontab'],
])("%s is %s", (expression, words) => {
  expect(describeSchedule({ kind: "crontab", expression })).toBe(words);
});

it("names the zone of a crontab, and the unit of an interval", () => {
  const schedule = { kind: "crontab", expression: "0 3 * * *", timeZone: "Europe/Berlin" } as const;
  expect(describeSchedule(schedule)).toBe("every day at 03:00 (Europe/Berlin)");
  const minute = 60_000;
  const every = (everyMs: number): string => describeSchedule({ kind: "interval", everyMs });
  expect([minute, 90 * minute, 120 * minute, 1440 * minute].map(every)).toEqual([
    "every minute",
    "every 90 minutes",
    "every 2 hours",
    "every day",
  ]);
});
