import { describe, expect, it } from "vitest";
import { clientTime, happenedAt } from "./client-time.ts";

const received = Date.UTC(2026, 10, 11, 12);

describe("the time of an event", () => {
  it("is the client's if its clock is right", () => {
    expect(happenedAt(received - 5_000.4, clientTime(received - 200, received))).toBe(received - 5_000);
  });

  it("is corrected if the client's clock is wrong by years, keeping the distance to the time of sending", () => {
    const wrong = Date.UTC(2019, 0, 1);
    expect(happenedAt(wrong - 3_000, clientTime(wrong, received))).toBe(received - 3_000);
  });

  it("stays in the past for reports that were held offline for a day", () => {
    const dayAgo = received - 86_400_000;
    expect(happenedAt(dayAgo, clientTime(received, received))).toBe(dayAgo);
  });

  it.each([received + 3_600_000, received - 400 * 86_400_000, undefined])(
    "is the time of arrival for %s",
    (reported) => {
      expect(happenedAt(reported, clientTime(undefined, received))).toBe(received);
    },
  );
});
