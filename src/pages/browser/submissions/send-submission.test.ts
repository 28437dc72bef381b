import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readOutcome } from "./send-submission.ts";

test("outcome lines of every build are read: the server's tests write the same ones", () => {
  const lines = readFileSync(new URL("../../outcome-lines.v1.txt", import.meta.url), "utf8")
    .trim()
    .split("\n");
  expect(lines.map((line) => readOutcome(line))).toMatchObject([
    { slot: "save 7", outcome: { kind: "done", result: { at: new Date(0) } }, ran: true, session: false },
    { slot: "save :r1:", outcome: { kind: "done", result: undefined }, session: true },
    { outcome: { kind: "invalid", fields: { name: ["Say a name."] }, values: { note: "kept" } }, ran: false },
    { outcome: { kind: "redirected", to: "/list" } },
    { outcome: { kind: "failed", status: 500, digest: "TEST-TEST-0001" } },
  ]);
});

test("a line that is not an outcome, or one of an unknown version, is ignored", () => {
  const line = { kind: "outcome", v: 1, slot: "a 1", outcome: { kind: "done" }, ran: true };
  for (const value of [null, 7, {}, { ...line, v: 2 }, { ...line, outcome: { kind: "other" } }, { kind: "page" }])
    expect(readOutcome(JSON.stringify(value)), JSON.stringify(value)).toBeUndefined();
});
