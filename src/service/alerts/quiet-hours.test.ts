import { expect, it } from "vitest";
import { sendableAt } from "./quiet-hours.ts";

const at = (text: string): number => Date.parse(text);
const night = { from: 22, to: 7, timeZone: "Europe/Berlin" };

it.each([
  ["in the afternoon, at once", "2026-11-16T14:30:00Z", "2026-11-16T14:30:00Z"],
  ["in the evening, in the morning", "2026-11-16T21:10:00Z", "2026-11-17T06:00:00Z"],
  ["after midnight, in the morning", "2026-11-17T02:59:59Z", "2026-11-17T06:00:00Z"],
  ["in the night in which clocks are set back, in the morning", "2026-10-24T22:00:00Z", "2026-10-25T06:00:00Z"],
  ["in the night in which clocks are set forward, in the morning", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"],
])("a message is sent %s", (_name, made, sent) => {
  expect(new Date(sendableAt(at(made), night)).toISOString()).toBe(new Date(at(sent)).toISOString());
});

it("without quiet hours a message is sent at once", () => {
  expect(sendableAt(5, undefined)).toBe(5);
});
