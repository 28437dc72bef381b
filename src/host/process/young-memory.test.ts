import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { hostLimits } from "../limits.ts";

/** Survivors of each collection make V8 grow. Prints the bytes of young memory at the end. */
const grow = `
  import { setTimeout } from "node:timers/promises";
  import v8 from "node:v8";
  let kept = [];
  for (let turn = 0; turn < 12; turn++) {
    for (let each = 0; each < 100_000; each++) {
      kept.push({ each, list: [each, turn] });
      if (kept.length > 60_000) kept = [];
    }
    await setTimeout(2);
  }
  console.log(v8.getHeapSpaceStatistics().find((one) => one.space_name === "new_space").space_size);
`;

function grownBytes(begin: string): number {
  const options = { encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", begin + grow], options);
  expect(stderr).toBe("");
  return Number(stdout);
}

test("the memory of young objects stops growing at the bound", () => {
  const most = 4 * 1_048_576;
  const file = JSON.stringify(new URL("./young-memory.ts", import.meta.url).href);
  const bounded = grownBytes(
    `import { boundYoungMemory } from ${file}; boundYoungMemory({ mostBytes: ${most}, everyMs: 1 });`,
  );
  expect(bounded).toBeGreaterThanOrEqual(most);
  // Some doublings happen in the first turn, before the first look. Without the bound there are more.
  expect(bounded).toBeLessThan(grownBytes(""));
});

test("the bound is a power of two, as the sizes are", () => {
  expect(Math.log2(hostLimits.youngBytes) % 1).toBe(0);
});
