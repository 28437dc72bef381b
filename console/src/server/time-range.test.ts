import { expect, test } from "vitest";
import { hourIn } from "./time-range.ts";

test("an hour of an address is read, and anything else is none", () => {
  expect(hourIn("2026-11-16T19")).toBe(Date.UTC(2026, 10, 16, 19));
  for (const text of [null, "", "2026-11-16", "2026-13-16T19", "2026-11-16T25", "2026-11-16T19:30", "now"])
    expect(hourIn(text)).toBeUndefined();
});
