import { describe, expect, it } from "vitest";
import { weekOf } from "./weeks.ts";

describe("the week of a moment", () => {
  it.each([
    ["2026-11-15T23:59:59Z", "events-2026-W46"],
    ["2026-11-16T00:00:00Z", "events-2026-W47"],
    ["2027-01-01T12:00:00Z", "events-2026-W53"],
    ["2025-12-29T00:00:00Z", "events-2026-W01"],
  ])("%s is %s", (moment, name) => {
    const week = weekOf(Date.parse(moment));
    expect(week.name).toBe(name);
    expect(week.from).toBeLessThanOrEqual(Date.parse(moment));
    expect(week.to).toBeGreaterThan(Date.parse(moment));
  });
});
