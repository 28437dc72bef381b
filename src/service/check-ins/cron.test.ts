import { describe, expect, it } from "vitest";
import { isTimeZone, nextCronTime } from "./cron.ts";

describe("a crontab", () => {
  it.each([
    ["* * * * *", undefined, "2026-03-01T10:00:30Z", "2026-03-01T10:01:00Z"],
    ["*/15 * * * *", undefined, "2026-03-01T10:01:00Z", "2026-03-01T10:15:00Z"],
    ["0 3 * * *", undefined, "2026-03-01T03:00:00Z", "2026-03-02T03:00:00Z"],
    ["30 6,18 * * mon-fri", undefined, "2026-02-27T18:30:00Z", "2026-03-02T06:30:00Z"],
    ["0 0 31 * *", undefined, "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"],
    ["0 0 29 2 *", undefined, "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"],
    // Of a day of the month and a day of the week, either is enough.
    ["0 0 13 * fri", undefined, "2026-03-01T00:00:00Z", "2026-03-06T00:00:00Z"],
    ["0 0 * * 7", undefined, "2026-03-02T00:00:00Z", "2026-03-08T00:00:00Z"],
    ["5/20 8-9 * jan,JUL *", undefined, "2026-02-01T00:00:00Z", "2026-07-01T08:05:00Z"],
    ["@weekly", undefined, "2026-03-02T00:00:00Z", "2026-03-08T00:00:00Z"],
    ["0 9 * * *", "America/New_York", "2026-01-10T15:00:00Z", "2026-01-11T14:00:00Z"],
    ["0 9 * * *", "America/New_York", "2026-07-10T15:00:00Z", "2026-07-11T13:00:00Z"],
    ["0 12 * * *", "No/Where", "2026-07-10T15:00:00Z", "2026-07-11T12:00:00Z"],
  ])("%s in %s is due next after %s at %s", (expression, zone, after, next) => {
    expect(nextCronTime(expression, zone, Date.parse(after))).toBe(Date.parse(next));
  });

  it.each(["", "* * * *", "61 * * * *", "* * * * * *", "*/0 * * * *", "a b c d e", "0 0 31 2 *", "5-1 * * * *"])(
    "a crontab that says nothing (%s) is never due",
    (expression) => {
      expect(nextCronTime(expression, undefined, 0)).toBeUndefined();
    },
  );
});

describe("a crontab where clocks change", () => {
  const berlin = "Europe/Berlin";

  it.each([
    // Forward at 01:00 UTC: 02:30 does not exist.
    ["30 2 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]],
    ["0 4 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T02:00:00Z", "2026-03-30T02:00:00Z"]],
    ["*/30 * * * *", "2026-03-29T00:29:00Z", ["2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"]],
    // Back at 01:00 UTC: 02:30 happens twice.
    ["30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]],
    ["30 * * * *", "2026-10-25T00:00:00Z", ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"]],
    ["* * * * *", "2026-10-25T00:58:00Z", ["2026-10-25T00:59:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:01:00Z"]],
    ["0 0 1 7 *", "2026-01-01T00:00:00Z", ["2026-06-30T22:00:00Z", "2027-06-30T22:00:00Z"]],
  ])("%s in Berlin after %s is due at %j", (expression, after, times) => {
    let at = Date.parse(after);
    for (const time of times) {
      at = nextCronTime(expression, berlin, at) ?? 0;
      expect(new Date(at).toISOString()).toBe(time.replace("Z", ".000Z"));
    }
  });

  it("each minute of a year with both changes is due once", () => {
    for (const day of ["2026-03-29", "2026-10-25"]) {
      let at = Date.parse(`${day}T00:00:00Z`) - 60_000;
      for (let minute = 0; minute < 24 * 60; minute += 1) {
        const next = nextCronTime("* * * * *", berlin, at) ?? 0;
        expect(next - at).toBe(60_000);
        at = next;
      }
    }
  });

  it("a zone with half an hour of summer time is calculated too", () => {
    const next = nextCronTime("15 2 * * *", "Australia/Lord_Howe", Date.parse("2026-10-03T00:00:00Z"));
    expect(new Date(next ?? 0).toISOString()).toBe("2026-10-03T15:30:00.000Z");
    expect(isTimeZone("Australia/Lord_Howe")).toBe(true);
    expect(isTimeZone("No/Where")).toBe(false);
  });
});
