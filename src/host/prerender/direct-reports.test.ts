import { expect, test } from "vitest";
import type { Served } from "../served.ts";
import { problemsOfDirectRules, reportingDirectly } from "./direct-reports.ts";

const dsn = `https://${"0".repeat(32)}@errors.example/1`;

test("texts of `report.scrub` reach browsers as expressions that hold for the same names", () => {
  const report = { dsn, scrub: ["/tmp/dig", "a.b", /^nick(name)?$/gi] };
  // Nothing else of the application is read.
  const direct = reportingDirectly({ config: { report } } as unknown as Served);
  expect(direct?.config.report?.scrub?.map(String)).toEqual(["/\\/tmp\\/dig/i", "/a\\.b/i", "/^nick(name)?$/i"]);
});

test("expressions are refused whose syntax not all browsers of the build know", () => {
  const scrub = ["(?i:v)", /^nick$/iu, /\p{L}key/u, /a\(?i:/, /[\w--\d]pin/v, /(?i:pin)Code/];
  const problems = problemsOfDirectRules({ report: { dsn, scrub } });
  expect(problems).toEqual([
    "report.scrub of holdfast.config: the expression /[\\w--\\d]pin/v has the flag v, which browsers know since 2023. Write it with the flag u.",
    "report.scrub of holdfast.config: the expression /(?i:pin)Code/ sets flags inside it, which browsers know since 2025. Write two expressions instead.",
  ]);
  expect(problemsOfDirectRules({ report: { scrub } })).toEqual([]);
  expect(problemsOfDirectRules({})).toEqual([]);
});
