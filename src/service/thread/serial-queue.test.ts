import { expect, it } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

it("a task starts when the previous one has ended, also if that failed", async () => {
  const queue = new SerialQueue();
  const steps: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run(async () => {
    steps.push("first begins");
    await gate.promise;
    steps.push("first fails");
    throw new Error("first");
  });
  const second = queue.run(async () => {
    steps.push("second");
    return 2;
  });
  await Promise.resolve();
  expect(steps).toEqual(["first begins"]);
  gate.resolve();
  await expect(first).rejects.toThrow("first");
  expect(await second).toBe(2);
  expect(steps).toEqual(["first begins", "first fails", "second"]);
});
