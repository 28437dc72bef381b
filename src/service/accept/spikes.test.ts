import { expect, it } from "vitest";
import type { Spike } from "../intake/spike-rules.ts";
import { Spikes } from "./spikes.ts";

const rules = { isOn: true, times: 10, least: 100 };

function error(value: string, lineno = 1): object {
  const frames = [{ filename: "cart.ts", function: "total", lineno, in_app: true }];
  return { exception: { values: [{ type: "TypeError", value, stacktrace: { frames } }] } };
}

function watched() {
  let elapsed = 0;
  const told: string[] = [];
  const spikes = new Spikes(
    { now: () => 1_000_000 + elapsed, elapsed: () => elapsed },
    {
      began: (project: number, { usual }: Spike) => told.push(`${project} began, usually ${usual}`),
      continued: () => undefined,
      ended: (project: number, { dropped }: Spike) => told.push(`${project} ended, ${dropped} dropped`),
    },
  );
  /** One minute with so many errors. Returns the kept ones. */
  const minute = (count: number, event: (index: number) => object = () => error("boom"), project = 1): number => {
    let kept = 0;
    for (let index = 0; index < count; index += 1) if (spikes.keeps(project, rules, () => event(index))) kept += 1;
    elapsed += 60_000;
    return kept;
  };
  return { minute, told, spikes };
}

it("a spike keeps what is usual ten times, then one of every kind in each minute and a sample, and counts the rest", () => {
  const { minute, told, spikes } = watched();
  for (let index = 0; index < 15; index += 1) expect(minute(50)).toBe(50);
  // 10 × 50 are allowed. Of 9,500 more, one is the first of its kind, and one of twenty is a sample.
  const kept = minute(10_000);
  expect(kept).toBe(500 + 1 + 475);
  expect(told).toEqual(["1 began, usually 50"]);
  expect(spikes.current.get(1)).toMatchObject({ dropped: 10_000 - kept, perMinute: 10_000, usual: 50 });
  // Numbers in messages make no kind of their own, places do.
  const seen = new Set<number>();
  minute(3_000, (index) => error(`order ${index} failed`));
  for (let index = 0; index < 2_000; index += 1)
    if (spikes.keeps(1, rules, () => error("boom", index % 40))) seen.add(index % 40);
  expect(seen.size).toBe(40);
});

it("a spike does not become usual at once, and is over after five calm minutes", () => {
  const { minute, told } = watched();
  for (let index = 0; index < 60; index += 1) minute(50);
  for (let index = 0; index < 10; index += 1) minute(5_000);
  expect(minute(5_000)).toBeLessThan(3_000);
  for (let index = 0; index < 7; index += 1) minute(50);
  expect(told).toEqual(["1 began, usually 50", expect.stringMatching(/^1 ended, \d+ dropped$/)]);
});

it("a new process learns first, quiet projects have their own rate, and few errors are never a spike", () => {
  const { minute, told } = watched();
  for (let index = 0; index < 5; index += 1) expect(minute(3_000)).toBe(3_000);
  const other = watched();
  for (let index = 0; index < 20; index += 1) other.minute(1, () => error("boom"), 2);
  expect(other.minute(100, () => error("boom"), 2)).toBe(100);
  expect(other.minute(200, () => error("boom"), 2)).toBe(100 + 1 + 5);
  expect(told).toEqual([]);
});
