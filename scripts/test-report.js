/**
 * @typedef {{ status: string, fullName: string, failureMessages?: string[] }} TestResult
 * @typedef {{ status: string, name: string, message?: string, assertionResults: TestResult[] }} FileResult
 * @typedef {{ numPassedTests: number, numFailedTests: number, testResults: FileResult[] }} Report
 */

/** Lines of a failure in the summary: the assertion, what was expected, and the place. */
const failureLines = 8;

/**
 * Counts one run of Vitest. Nothing may pass by not running: a file that did not load, a run that ended badly for
 * another reason, and a run without a single test each count as a failure.
 * @param {Report | undefined} report
 * @param {number} exitCode
 * @returns {{ passed: number, failed: number }}
 */
export function countReport(report, exitCode) {
  if (!report) return { passed: 0, failed: 1 };
  const failed = report.numFailedTests + report.testResults.filter(isBroken).length;
  const silent = failed === 0 && (exitCode !== 0 || report.numPassedTests === 0);
  return { passed: report.numPassedTests, failed: silent ? 1 : failed };
}

/**
 * Each failure with its file and the begin of its message. A log that keeps only the end of a run still names them.
 * @param {Report | undefined} report
 * @returns {string[]}
 */
export function listFailures(report) {
  return (report?.testResults ?? []).flatMap((file) => {
    if (isBroken(file)) return [`${file.name}\n${firstLines(file.message ?? "did not load")}`];
    const failed = file.assertionResults.filter(({ status }) => status === "failed");
    return failed.map((test) => `${file.name} > ${test.fullName}\n${firstLines(test.failureMessages?.[0] ?? "")}`);
  });
}

/** @param {FileResult} file */
function isBroken(file) {
  return file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed");
}

/** @param {string} message */
function firstLines(message) {
  const lines = message.split("\n").slice(0, failureLines);
  return lines.map((line) => `    ${line.slice(0, 300)}`).join("\n");
}
