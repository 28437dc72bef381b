import { expect, test } from "vitest";
import type { KeptSummary } from "#host";
import { summaryLine } from "./sentences.ts";

test.each([
  [0, "done  "],
  [1, "done, run again once  "],
  [2, "done, run again 2 times  "],
])("a submission that was run again %i times says so", (runs, text) => {
  const summary: KeptSummary = {
    id: "1",
    digest: "7K2M-9QXD-4TBA",
    lastDigest: undefined,
    by: undefined,
    state: "done",
    keptAt: new Date(0),
    changedAt: new Date(0),
    of: { route: "/", action: "order" },
    sent: undefined,
    unreadable: undefined,
    bytes: 70,
    runs,
  };
  expect(summaryLine(summary)).toBe(`7K2M-9QXD-4TBA  1970-01-01T00:00:00.000Z  ${text}/ order  70 bytes`);
});
