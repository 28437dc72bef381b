import { expect, it } from "vitest";
import { searchedTime } from "./searched-time.ts";

const now = Date.UTC(2026, 10, 16, 12);

it("times of an address take precedence over days, and nonsense is ignored", () => {
  const asked = (search: string) => searchedTime(new URLSearchParams(search), now);
  expect(asked("from=2026-11-16T10:00&to=2026-11-16T10:30:05")).toEqual({
    days: 1,
    period: { from: now - 7_200_000, to: now - 5_395_000 },
    isChosen: true,
  });
  expect(asked("from=2026-11-16T10:00&to=2026-11-17T00:00").period.to).toBe(now);
  for (const search of ["days=7&from=2026-11-16T10:00", "days=7&from=2026-11-16T10:00&to=2026-11-16T09:00"])
    expect(asked(search)).toEqual({ days: 7, period: { from: now - 7 * 86_400_000, to: now }, isChosen: false });
});
