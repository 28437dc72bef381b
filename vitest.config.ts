import { existsSync, globSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * What needs minutes or the network from the first line on has a name of its own, and runs with `npm run test:long`
 * alone.
 */
const longTests = process.env.HOLDFAST_TEST_LONG === undefined ? [] : ["tests/**/*.long-test.ts"];

/** Tests beside the code that start a real PostgreSQL. */
const withDatabase = globSync("src/**/*.test.ts").filter((file) =>
  /kit\/(?:postgres|pgbouncer)/.test(readFileSync(file, "utf8")),
);

/** They take five seconds and more: they start services and processes, or try thousands of cases. */
const takeSeconds = [
  "src/host/{lifecycle/hooks,live/relay-processes}.test.ts",
  "src/pages/browser/submissions/submission-record.model.test.ts",
  "src/pages/server/cache/never-shared.test.tsx",
  "src/service/{check-ins-over-http,disk-limit,open-service,secrets-at-rest}.test.ts",
  "src/service/{alert-rules/alerting,api/handle-api-request,balance/balance,erasures/erasures}.test.ts",
  "src/service/commands/portable/{import-sentry,portable-commands}.test.ts",
  "src/service/console-api/ownership-api.test.ts",
  "src/service/mcp/{guide,mcp,stdio}.test.ts",
  "src/service/stores/sqlite/write/commit-batch.test.ts",
];

/** The quick part, `npm run check && npm run test:unit`, has two minutes on a machine with two cores. */
const tooSlowForQuickPart = [...withDatabase, ...takeSeconds];

/** They count memory or time, or are many visitors at once, so each has the machine to itself. */
const needTheMachine = [
  "tests/faults/{bombs,fuzz,hostile-clients,many-issues,pages-requests,slow-readers,sockets,uploads}.test.ts",
  "tests/journeys/{navigation-{fuzz,endurance},submissions-fuzz,chaos,dev-first-visit}.test.ts",
];

/**
 * Journeys wait half of their time, so a machine with two cores runs three of them. With four, each waited for the
 * others. More than six would need more memory than a small machine has.
 */
const journeysAtOnce = Math.min(6, Math.ceil(availableParallelism() * 1.5));

/** Far more than the temporary files of all unit tests together. A container may have a memory disk of 64 MB. */
const enoughBytes = 2 * 1024 ** 3;

/**
 * Tests beside the code wait for the disk a third of their time: their stores sync what they commit. Where memory can
 * hold their files, they lie there. What survives a kill or a power cut is tested on the disk, in tests/faults.
 */
function temporaryFolder(): string {
  const memory = "/dev/shm";
  if (process.env.TMPDIR !== undefined || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= enoughBytes ? memory : tmpdir();
}

/** What a test builds is served a few times. Compressing it as far as possible was two fifths of a build. */
const env = { HOLDFAST_COMPRESSION: "fast" };

const inBrowsers = {
  env,
  globalSetup: ["tests/kit/with-package-built.ts", "tests/kit/with-chromium.ts"],
  // Five times what the slowest take on a machine with two cores: only a test that hangs reaches it.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000 } },
};

/** Unit and contract tests lie beside the code; the slow kinds have folders of their own under tests/. */
export default defineConfig({
  resolve: { conditions: ["holdfast-source"] },
  ssr: { resolve: { conditions: ["holdfast-source"], externalConditions: ["holdfast-source"] } },
  test: {
    globalSetup: ["tests/kit/with-threads-compiled.ts"],
    // Vitest's default of one second is too short on a loaded machine. A condition that holds sooner is seen sooner.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // Five seconds, as Vitest has it, are too few for models and megabytes where ten other programs run.
          testTimeout: 30_000,
          expect: { poll: { timeout: 15_000, interval: 10 } },
          // A worker keeps its modules from file to file: loading them again for each was half of the time.
          isolate: false,
          env: { TMPDIR: temporaryFolder() },
          // Vitest's default leaves one core to itself, which is half of a machine with two.
          maxWorkers: "100%",
          include: [
            "src/**/*.test.{ts,tsx}",
            "console/src/**/*.test.ts",
            "create/steps/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: tooSlowForQuickPart,
        },
      },
      {
        extends: true,
        test: {
          name: "walls",
          include: ["tests/*.test.ts"],
          globalSetup: ["tests/kit/with-package-built.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          ...inBrowsers,
          name: "packed",
          include: ["tests/packed/*.test.ts"],
          globalSetup: [...inBrowsers.globalSetup, "tests/packed/new-machine.ts"],
          testTimeout: 120_000,
          maxWorkers: journeysAtOnce,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: tooSlowForQuickPart,
          isolate: false,
          env: { TMPDIR: temporaryFolder() },
          testTimeout: 60_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000, interval: 10 } },
          maxWorkers: journeysAtOnce,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...inBrowsers,
          name: "journeys",
          include: ["tests/{journeys,compatibility,kit,faults}/**/*.test.{ts,tsx}"],
          exclude: needTheMachine,
          // As for unit tests: loading Playwright and Vite again took more than a second of each file.
          isolate: false,
          setupFiles: ["tests/kit/same-environment.ts"],
          maxWorkers: journeysAtOnce,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...inBrowsers,
          name: "alone",
          include: [...needTheMachine, ...longTests],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
