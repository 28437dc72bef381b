import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { application, keepProof, openBrowser, type RunningApp, startApp } from "../kit/index.ts";
import { randomWalk, type WalkReport } from "./random-walk.ts";

const long = process.env.HOLDFAST_TEST_LONG !== undefined;
const walks = Number(process.env.HOLDFAST_FUZZ_WALKS ?? (long ? 2_000 : 60));
/** They mostly wait for deadlines; more of them would measure the machine instead of the product. */
const atOnce = 6 * Math.min(4, availableParallelism());
/** Given to repeat a run that failed. */
const firstSeed = Number(process.env.HOLDFAST_FUZZ_SEED ?? Math.floor(Math.random() * 1_000_000_000));

let apps: readonly [RunningApp, RunningApp] | undefined;

beforeAll(async () => {
  const files = readFixture();
  const next = application({
    ...files,
    "src/pages/plain.tsx": `${files["src/pages/plain.tsx"]}\nexport const next = 1;\n`,
  });
  apps = [await startApp({ app: "tests/fixtures/walk" }), await startApp({ app: next })];
});

afterAll(async () => {
  await Promise.all(apps?.map((app) => app.stop()) ?? []);
});

test(
  `${walks} random walks through faults and deploys have no dead end`,
  async () => {
    if (!apps) throw new Error("The applications are not running.");
    const browser = await openBrowser();
    const builds = [apps[0].url, apps[1].url] as const;
    console.log(`random walks ${firstSeed} to ${firstSeed + walks - 1}; repeat one with HOLDFAST_FUZZ_SEED`);
    const reports: WalkReport[] = [];
    const began = performance.now();
    let next = 0;
    const walkOn = async (): Promise<void> => {
      while (next < walks) {
        const seed = firstSeed + next;
        next += 1;
        const report = await randomWalk(seed, browser, builds);
        if (report.deadEnds.length > 0) console.log(report);
        reports.push(report);
      }
    };
    try {
      await Promise.all(Array.from({ length: atOnce }, walkOn));
    } finally {
      await browser.close();
    }
    const slowest = Math.max(...reports.map(({ slowestMs }) => slowestMs));
    const fullLoads = reports.flatMap((report) => report.fullLoads);
    const ends = reports.flatMap((report) => report.ends);
    const facts = [
      `- Random walks: ${reports.length}, each of one visitor through faults and deploys; actions: ${ends.length}`,
      `- Dead ends: ${reports.flatMap(({ deadEnds }) => deadEnds).length}`,
      `- Ends, as the visitor saw them: ${count(ends)}`,
      `- Full loads by reason: ${count(fullLoads)}`,
      `- Slowest end: ${Math.round(slowest)} ms after the action`,
      `- Duration: ${Math.round((performance.now() - began) / 60_000)} minutes, ${atOnce} walks at once`,
    ];
    console.log(facts.join("\n"));
    keepProof("navigation", facts, firstSeed);
    expect(reports).toHaveLength(walks);
    expect(reports.filter(({ deadEnds }) => deadEnds.length > 0)).toEqual([]);
    expect(fullLoads.every((reason) => reason.length > 0)).toBe(true);
  },
  long ? 7_200_000 : 900_000,
);

function count(reasons: readonly string[]): string {
  const counts = Map.groupBy(reasons, (reason) => reason);
  return [...counts].map(([reason, all]) => `${reason} ${all.length}`).join(", ") || "none";
}

/** The application's files, so that a second build can be made of almost the same. */
function readFixture(): Record<string, string> {
  const folder = join(root, "tests/fixtures/walk");
  const files = readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
    }),
  );
}
