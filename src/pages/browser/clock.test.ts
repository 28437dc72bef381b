import { describe, expect, it } from "vitest";
import { createClock } from "./clock.ts";

describe("the clock", () => {
  it("adds the time the device slept", () => {
    const { clock, awake, asleep } = aDevice();
    awake(1_000);
    expect(clock.now()).toBe(1_000);
    asleep(60_000);
    expect(clock.now()).toBe(61_000);
    awake(500);
    expect(clock.now()).toBe(61_500);
  });

  it("ignores small corrections of the wall clock, even frequent ones", () => {
    const { clock, awake, setWall } = aDevice();
    for (let round = 0; round < 10; round++) {
      awake(100);
      setWall(+4_000);
      clock.now();
    }
    expect(clock.now()).toBe(1_000);
  });

  it("never goes back when the wall clock is set back, and still notices sleep afterwards", () => {
    const { clock, awake, asleep, setWall } = aDevice();
    awake(1_000);
    setWall(-3_600_000);
    expect(clock.now()).toBe(1_000);
    asleep(10_000);
    expect(clock.now()).toBe(11_000);
  });
});

function aDevice() {
  let monotonic = 0;
  let wall = 1_700_000_000_000;
  return {
    clock: createClock(
      () => monotonic,
      () => wall,
    ),
    awake(ms: number) {
      monotonic += ms;
      wall += ms;
    },
    asleep(ms: number) {
      wall += ms;
    },
    setWall(ms: number) {
      wall += ms;
    },
  };
}
