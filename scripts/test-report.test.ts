import { describe, expect, test } from "vitest";
import { countReport, listFailures } from "./test-report.js";

const pass = { status: "passed", fullName: "a page is found" };
const failure = {
  status: "failed",
  fullName: "a form is sent",
  failureMessages: ["expected 1 to be 2\n    at form.ts:3"],
};
const passing = { status: "passed", name: "page.test.ts", assertionResults: [pass, pass] };
const failing = { status: "failed", name: "form.test.ts", assertionResults: [pass, failure] };
const broken = { status: "failed", name: "link.test.ts", message: "SyntaxError", assertionResults: [] };

describe("a run of tests", () => {
  test("counts what passed and what failed", () => {
    const report = { numPassedTests: 3, numFailedTests: 1, testResults: [passing, failing] };
    expect(countReport(report, 1)).toEqual({ passed: 3, failed: 1 });
  });

  test("fails for a file that could not be loaded", () => {
    const report = { numPassedTests: 2, numFailedTests: 0, testResults: [passing, broken] };
    expect(countReport(report, 1)).toEqual({ passed: 2, failed: 1 });
  });

  test("fails when it exits with an error though every test passed", () => {
    const report = { numPassedTests: 2, numFailedTests: 0, testResults: [passing] };
    expect(countReport(report, 1)).toEqual({ passed: 2, failed: 1 });
    expect(countReport(report, 0)).toEqual({ passed: 2, failed: 0 });
  });

  test("fails when nothing ran, or nothing was reported", () => {
    expect(countReport({ numPassedTests: 0, numFailedTests: 0, testResults: [] }, 0)).toEqual({ passed: 0, failed: 1 });
    expect(countReport(undefined, 0)).toEqual({ passed: 0, failed: 1 });
  });

  test("names each failure with its file and the begin of its message", () => {
    const report = { numPassedTests: 3, numFailedTests: 1, testResults: [passing, failing, broken] };
    expect(listFailures(report)).toEqual([
      "form.test.ts > a form is sent\n    expected 1 to be 2\n        at form.ts:3",
      "link.test.ts\n    SyntaxError",
    ]);
    expect(listFailures(undefined)).toEqual([]);
  });
});
