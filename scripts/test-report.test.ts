import { describe, expect, test } from "vitest";
import { countReport } from "./test-report.js";

const passing = { status: "passed", assertionResults: [{ status: "passed" }, { status: "passed" }] };
const failing = { status: "failed", assertionResults: [{ status: "passed" }, { status: "failed" }] };
const broken = { status: "failed", assertionResults: [] };

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
});
