import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { writeFiles } from "./application.ts";

test("a journey with a surprise fails, whatever it expected itself; one without passes", () => {
  const folder = join(root, "tests/.tmp/planted-surprises");
  writeFiles(folder, {
    "vitest.config.ts": `export default { test: { root: ${JSON.stringify(folder)}, include: ["*.test.ts"], testTimeout: 50_000 } };`,
    "planted.test.ts": `
      import { expect } from "vitest";
      import { journeyThrough } from "../../kit/journey.ts";
      import { pages, serve } from "../../kit/small-server.ts";

      const loud = "<h1>Loud</h1><script>console.error('planted')</script>";
      const start = async () => ({ ...(await serve(pages({ "/": "<h1>Quiet</h1>", "/loud": loud }))), crash: undefined as string | undefined });
      const test = journeyThrough(start);

      test("quiet", async ({ visit }) => void (await visit("/")));
      test("loud", async ({ visit }) => void (await visit("/loud")));
      test("declared", async ({ visit }) => void (await visit("/loud")).expecting(/planted/));
      test("crashed", async ({ app, visit }) => {
        await visit("/");
        app.crash = "The application ended by itself (1).";
      });
    `,
  });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const report = join(folder, "report.json");
  spawnSync(
    process.execPath,
    [vitest, "run", "--config", join(folder, "vitest.config.ts"), "--reporter=json", `--outputFile=${report}`],
    { cwd: folder, env: { ...process.env, VITEST: undefined } },
  );
  const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"));
  const results = testResults.flatMap((file) => file.assertionResults);
  expect(Object.fromEntries(results.map(({ title, status }) => [title, status]))).toEqual({
    quiet: "passed",
    loud: "failed",
    declared: "passed",
    crashed: "failed",
  });
  expect(results.find(({ title }) => title === "loud")?.failureMessages.join()).toContain("console error: planted");
  expect(results.find(({ title }) => title === "crashed")?.failureMessages.join()).toContain("ended by itself");
});

interface Report {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}
