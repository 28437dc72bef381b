import { expect, it } from "vitest";
import { quietUntil } from "./quiet-hours.ts";

const at = (text: string): number => Date.parse(text);
const night = { from: 22, to: 7, timeZone: "Europe/Berlin" };

it.each([
  ["in the evening", "2026-11-16T21:10:00Z", "2026-11-17T06:00:00Z"],
  ["after midnight", "2026-11-17T02:59:59Z", "2026-11-17T06:00:00Z"],
  ["in the night in which clocks are set back", "2026-10-24T22:00:00Z", "2026-10-25T06:00:00Z"],
  ["in the night in which clocks are set forward", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"],
])("%s, it is quiet until the morning", (_name, made, end) => {
  expect(new Date(quietUntil(at(made), night) ?? 0).toISOString()).toBe(new Date(at(end)).toISOString());
});

it("it is not quiet in the afternoon, nor without quiet hours", () => {
  expect(quietUntil(at("2026-11-16T14:30:00Z"), night)).toBeUndefined();
  expect(quietUntil(5, undefined)).toBeUndefined();
});
