import { expect, test } from "vitest";
import { RunningActions } from "./running-actions.ts";

const reasons = { tooLate: () => new Error("too late"), interrupted: () => new Error("interrupted") };

test("the end of the process waits for all running actions, and may abort them", async () => {
  const actions = new RunningActions();
  await actions.idle();
  const first = Promise.withResolvers<string>();
  const begun = actions.begin({ ms: 10_000, ...reasons, work: () => first.promise });
  const second = actions.begin({
    ms: 10_000,
    ...reasons,
    work: (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("abandoned")))),
  });
  let isIdle = false;
  const idle = actions.idle().then(() => {
    isIdle = true;
  });
  first.resolve("done");
  expect([await begun.inItsTime, actions.count, isIdle]).toEqual(["done", 1, false]);
  actions.abandon();
  await expect(second.inItsTime).rejects.toThrow("abandoned");
  await idle;
  expect(actions.count).toBe(0);
});

test("an action that throws at once has ended", async () => {
  const actions = new RunningActions();
  const { inItsTime } = actions.begin({
    ms: 10_000,
    ...reasons,
    work: () => {
      throw new Error("at once");
    },
  });
  await expect(inItsTime).rejects.toThrow("at once");
  expect(actions.count).toBe(0);
});
