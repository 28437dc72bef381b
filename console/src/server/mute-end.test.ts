import { expect, it } from "vitest";
import { forEver, muteEnd } from "./mute-end.ts";

const now = Date.parse("2026-11-16T14:30:00Z");
const context = { now, before: 7, timeZone: "Europe/Berlin" };
const at = (end: number | undefined): string => new Date(end ?? 0).toISOString();

it("a mute ends after hours, on Monday morning where the people are, or never", () => {
  expect(at(muteEnd("hour", context))).toBe("2026-11-16T15:30:00.000Z");
  expect(at(muteEnd("eight-hours", context))).toBe("2026-11-16T22:30:00.000Z");
  expect(at(muteEnd("monday", context))).toBe("2026-11-23T07:00:00.000Z");
  expect(at(muteEnd("monday", { ...context, timeZone: undefined }))).toBe("2026-11-23T08:00:00.000Z");
  expect(at(muteEnd("monday", { ...context, now: Date.parse("2026-11-15T23:00:00Z") }))).toBe(
    "2026-11-16T07:00:00.000Z",
  );
  expect(muteEnd("for-ever", context)).toBe(forEver);
  expect(muteEnd("keep", context)).toBe(7);
  expect(muteEnd("none", context)).toBeUndefined();
});
