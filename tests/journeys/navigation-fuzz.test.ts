import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { keepProof, openBrowser } from "../kit/index.ts";
import { randomWalk, type WalkReport } from "./random-walk.ts";
import { startTwoBuilds } from "./two-builds.ts";

const long = process.env.HOLDFAST_TEST_LONG !== undefined;
/** They mostly wait for deadlines. More would measure the machine instead of the product. */
const atOnce = 6 * Math.min(4, availableParallelism());
/** Other seeds in each run: a few walks in many runs find what many walks in one run do. */
const walks = Number(process.env.HOLDFAST_FUZZ_WALKS ?? (long ? 2_000 : atOnce / 2));
/** Set to repeat a failed run. */
const firstSeed = Number(process.env.HOLDFAST_FUZZ_SEED ?? Math.floor(Math.random() * 1_000_000_000));

test(
  `${walks} random walks through faults and deploys have no dead end`,
  async () => {
    await using builds = await startTwoBuilds();
    const browser = await openBrowser();
    console.log(`random walks ${firstSeed} to ${firstSeed + walks - 1}; repeat one with HOLDFAST_FUZZ_SEED`);
    const reports: WalkReport[] = [];
    const began = performance.now();
    let next = 0;
    const walkOn = async (): Promise<void> => {
      while (next < walks) {
        const seed = firstSeed + next;
        next += 1;
        const report = await randomWalk(seed, browser, builds.urls);
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
