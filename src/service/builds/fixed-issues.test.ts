import { expect, it } from "vitest";
import { fixedIssuesIn } from "./fixed-issues.ts";

it.each([
  ["Fixes HOLDFAST-12", [{ number: 12 }]],
  ["cart: total is right (fixes holdfast-12, HOLDFAST-13)", [{ number: 12 }, { number: 13 }]],
  ["Total\n\nCloses: https://errors.example/_holdfast/3/issues/7?days=1", [{ number: 7, project: 3 }]],
  ["Resolved HOLDFAST-1\nfix HOLDFAST-1", [{ number: 1 }]],
  ["See HOLDFAST-12", []],
  ["HOLDFAST-12 fixes nothing here", []],
  ["prefixes HOLDFAST-12", []],
  ["fixes #12", []],
  ["fixes HOLDFAST-0", []],
])("the message %j", (message, fixed) => {
  expect(fixedIssuesIn(message)).toEqual(fixed);
});
