import { describe, expect, it } from "vitest";
import { StoreWatch } from "./store-watch.ts";
import { noProblems, type StoreHealth } from "./stores/store-health.ts";

describe("the watch over a store", () => {
  it("the log has one line for the beginning of an outage and one for its end", () => {
    const { watch, lines, pass } = started();
    watch.storeIsAway("The store cannot be written: disk full");
    watch.storeIsAway("The store cannot be written: disk still full");
    pass(90_000);
    expect(watch.awayMs).toBe(90_000);
    watch.storeIsBack();
    watch.storeIsBack();
    expect(lines).toEqual([
      "Reports wait in the journal. The store cannot be written: disk full",
      "The store can be written again, after 90 s.",
    ]);
    expect(watch.awayMs).toBe(0);
  });

  it("the readiness check names the kind of trouble, and not the address of the database", () => {
    const { watch, pass } = started();
    expect(watch.trouble).toBeUndefined();
    watch.healthChanged(away({ unreachable: 1 }));
    watch.storeIsAway("connect ECONNREFUSED 10.0.0.5:5432");
    pass(2_400);
    expect(watch.trouble).toBe("Reports wait in the journal: the store cannot be written (unreachable), for 2 s now.");
  });

  it("counts go on when a new thread begins at 0", () => {
    const { watch } = started();
    watch.healthChanged(away({ unreachable: 3, collision: 1 }));
    watch.healthChanged(away({ unreachable: 5, collision: 1 }));
    watch.healthChanged(away({ unreachable: 2 }));
    expect(watch.problems).toEqual({ ...noProblems, unreachable: 7, collision: 1 });
  });
});

function away(problems: Partial<StoreHealth["problems"]>): StoreHealth {
  const why = "connect ECONNREFUSED 10.0.0.5:5432";
  return { kind: "away", since: 0, why, kindOfProblem: "unreachable", problems: { ...noProblems, ...problems } };
}

function started(): { watch: StoreWatch; lines: string[]; pass: (ms: number) => void } {
  let now = 0;
  const lines: string[] = [];
  const clock = { now: () => now, elapsed: () => now };
  const watch = new StoreWatch(clock, (line) => lines.push(line));
  return {
    watch,
    lines,
    pass: (ms) => {
      now += ms;
    },
  };
}
