import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.js";
import { checks } from "./check.js";
import { findChromium } from "./find-chromium.js";
import { findFonts } from "./find-fonts.js";
import { findNginx } from "./find-nginx.js";
import { findPgbouncer, findPostgres } from "./find-postgres.js";
import { root } from "./root.js";
import { countReport, listFailures } from "./test-report.js";
import { runTool } from "./tools.js";

/** @typedef {{ passed: number, failed: number, failures?: string[] }} Count */

/**
 * Kinds of tests, fast ones first, with the files that show whether there are any.
 * @type {{ name: string, projects: string[], files: string[], inBrowsers?: true }[]}
 */
const kinds = [
  {
    name: "unit",
    projects: ["unit"],
    files: ["src/**/*.test.{ts,tsx}", "create/steps/*.test.ts", "scripts/**/*.test.ts"],
  },
  { name: "walls", projects: ["walls"], files: ["tests/*.test.ts"] },
  {
    name: "slow unit tests, packed package, journeys and faults",
    projects: ["slow", "packed", "journeys"],
    files: ["tests/{packed,journeys,compatibility,kit,faults}/**/*.test.{ts,tsx}"],
    inBrowsers: true,
  },
  { name: "crowds and endurance", projects: ["alone"], files: ["tests/faults/**/*.test.ts"], inBrowsers: true },
];

/**
 * Runs all checks and all tests, even after a failure, and prints how many passed and failed.
 * @returns {Promise<number>} exit code
 */
export async function runEverything() {
  const started = performance.now();
  /** @type {Count[]} */
  const counts = [];
  const stage = async (/** @type {string} */ name, /** @type {() => Promise<Count>} */ run) => {
    const begun = performance.now();
    console.log(`\n── ${name}`);
    const count = await run();
    console.log(`── ${name}: ${count.passed} passed, ${count.failed} failed, ${seconds(begun)} s`);
    counts.push(count);
  };

  await stage("build", async () => one(await build()));
  for (const check of checks) await stage(check.name, async () => one((await check.run()) === 0));
  let noBrowser = "";
  await stage("Chromium", async () => {
    noBrowser = provideChromium();
    return one(noBrowser === "");
  });
  // Without one, the tests that need it fail and say why.
  await stage("PostgreSQL", async () => one(providePostgres()));
  await stage("fonts", async () => one(provideFonts()));
  await stage("nginx", async () => one(provideNginx()));
  const present = kinds.filter(({ files }) => globSync(files, { cwd: root }).length > 0);
  // Without a browser each of these tests would fail for the same reason.
  const left = present.filter(({ inBrowsers }) => inBrowsers && noBrowser !== "");
  for (const kind of present) if (!left.includes(kind)) await stage(kind.name, () => runTests(kind.projects));
  if (left.length > 0) console.error(`\nNot run: ${left.map(({ name }) => name).join("; ")}. ${noBrowser}`);
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.failed, 0);
  const failures = counts.flatMap((count) => count.failures ?? []);
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join("\n")}`);
  console.log(`\nIn ${seconds(started)} s:\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/**
 * Sets CHROMIUM_PATH, by which tests find the browser.
 * @returns {string} why there is none; empty if there is one
 */
function provideChromium() {
  const chromium = findChromium();
  if (chromium.kind === "missing") {
    console.error(chromium.why);
    return chromium.why;
  }
  process.env.CHROMIUM_PATH = chromium.path;
  console.log(chromium.path);
  return "";
}

/** Tests find their programs by POSTGRES_BIN and PGBOUNCER. */
function providePostgres() {
  const postgres = findPostgres();
  const pooler = findPgbouncer();
  console[postgres.kind === "found" ? "log" : "error"](postgres.kind === "found" ? postgres.folder : postgres.why);
  console[pooler.kind === "found" ? "log" : "error"](pooler.kind === "found" ? pooler.path : pooler.why);
  if (postgres.kind === "found") process.env.POSTGRES_BIN = postgres.folder;
  if (pooler.kind === "found") process.env.PGBOUNCER = pooler.path;
  return postgres.kind === "found" && pooler.kind === "found";
}

function provideFonts() {
  const fonts = findFonts();
  console[fonts.kind === "found" ? "log" : "error"](fonts.kind === "found" ? fonts.family : fonts.why);
  return fonts.kind === "found";
}

/** Tests find it by NGINX. */
function provideNginx() {
  const nginx = findNginx();
  console[nginx.kind === "found" ? "log" : "error"](nginx.kind === "found" ? nginx.path : nginx.why);
  if (nginx.kind === "found") process.env.NGINX = nginx.path;
  return nginx.kind === "found";
}

/**
 * @param {string[]} projects
 * @returns {Promise<Count>}
 */
async function runTests(projects) {
  const folder = join(root, "node_modules/.cache/holdfast/reports");
  const file = join(folder, `${projects.join("-")}.json`);
  mkdirSync(folder, { recursive: true });
  rmSync(file, { force: true });
  const args = [
    "run",
    ...projects.flatMap((project) => ["--project", project]),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
  ];
  // Vite has set it to "production" in this process if the package was built.
  const code = await runTool("vitest", args, { NODE_ENV: "test" });
  const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  return { ...countReport(report, code), failures: listFailures(report) };
}

/**
 * @param {boolean} passed
 * @returns {Count}
 */
function one(passed) {
  return passed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** @param {number} since */
function seconds(since) {
  return ((performance.now() - since) / 1000).toFixed(1);
}
