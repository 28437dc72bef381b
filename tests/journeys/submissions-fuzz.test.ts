import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { keepProof, openBrowser } from "../kit/index.ts";
import { type FormWalkReport, faultKinds, formWalk } from "./form-walk.ts";
import { startTwoDeploys } from "./two-builds.ts";

const long = process.env.HOLDFAST_TEST_LONG !== undefined;
/** Each has found a fault once. A short run uses these alone; a long one adds random ones. */
const knownSeeds = [119, 203, 206, 216, 475_846_676, 475_846_794, 475_846_812, 475_846_819];
/** Set to repeat a failed run. */
const givenSeed = process.env.HOLDFAST_FUZZ_SEED;
const firstSeed = Number(givenSeed ?? Math.floor(Math.random() * 1_000_000_000));
const walks = Number(process.env.HOLDFAST_FUZZ_WALKS ?? (long ? 2_000 : knownSeeds.length));
/** They mostly wait for deadlines. More would measure the machine instead of the product. */
const atOnce = Math.min(walks, Number(process.env.HOLDFAST_FUZZ_AT_ONCE ?? 6 * Math.min(4, availableParallelism())));
/** Some minutes of walking. */
const keptEvery = 50;

test(
  `${walks} random walks with forms have no dead end, show no stale page, run nothing twice and lose no text`,
  async () => {
    await using builds = await startTwoDeploys();
    const browser = await openBrowser();
    const known = givenSeed === undefined ? knownSeeds.slice(0, walks) : [];
    const seeds = [...known, ...Array.from({ length: walks - known.length }, (_, at) => firstSeed + at)];
    console.log(
      `walks with forms from seed ${firstSeed}; repeat one with HOLDFAST_FUZZ_SEED and HOLDFAST_FUZZ_WALKS=1`,
    );
    const reports: FormWalkReport[] = [];
    const began = performance.now();
    const walkOn = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        const report = await formWalk(seed, browser, builds);
        if (hasFault(report)) console.log(report);
        reports.push(report);
        // A run that is ended early leaves what it has shown until then.
        if (reports.length % keptEvery === 0) keepProof("submissions", factsOf(reports, began), firstSeed);
      }
    };
    try {
      await Promise.all(Array.from({ length: atOnce }, walkOn));
    } finally {
      await browser.close();
    }
    const facts = factsOf(reports, began);
    console.log(facts.join("\n"));
    keepProof("submissions", facts, firstSeed);
    expect(reports).toHaveLength(walks);
    expect(reports.filter(hasFault)).toEqual([]);
  },
  long ? 14_400_000 : 900_000,
);

function factsOf(reports: readonly FormWalkReport[], began: number): string[] {
  const sum = (of: (report: FormWalkReport) => number): number => reports.reduce((all, one) => all + of(one), 0);
  const planned = reports.length < walks ? ` of ${walks} planned` : "";
  return [
    `- Random walks with forms: ${reports.length}${planned}, each of one visitor through faults and deploys`,
    `- Texts typed: ${sum(({ texts }) => texts)}, of which sent: ${sum(({ sent }) => sent)}`,
    `- Comparisons of page, server and texts: ${sum(({ checks }) => checks)}`,
    ...faultKinds.map(
      (kind) => `- ${kind[0]?.toUpperCase()}${kind.slice(1)}: ${sum(({ faults }) => faults[kind].length)}`,
    ),
    `- Times that the visitor was asked what to do: ${sum(({ questions }) => questions)}`,
    `- Duration: ${Math.round((performance.now() - began) / 60_000)} minutes, ${atOnce} walks at once`,
  ];
}

function hasFault({ faults }: FormWalkReport): boolean {
  return faultKinds.some((kind) => faults[kind].length > 0);
}
