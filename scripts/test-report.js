/**
 * Counts one run of Vitest. Nothing may pass by not running: a file that did not load, a run that ended badly for
 * another reason, and a run without a single test each count as a failure.
 * @param {{ numPassedTests: number, numFailedTests: number, testResults: { status: string, assertionResults: { status:
 *   string }[] }[] } | undefined} report
 * @param {number} exitCode
 * @returns {{ passed: number, failed: number }}
 */
export function countReport(report, exitCode) {
  if (!report) return { passed: 0, failed: 1 };
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const failed = report.numFailedTests + broken.length;
  const silent = failed === 0 && (exitCode !== 0 || report.numPassedTests === 0);
  return { passed: report.numPassedTests, failed: silent ? 1 : failed };
}
