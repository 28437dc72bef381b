import { afterEach, expect, it, vi } from "vitest";
import { whenFiled } from "./when-filed.ts";

afterEach(() => void vi.useRealTimers());

it("what is there is not waited for", async () => {
  const settled = () => Promise.reject(new Error("asked in vain"));
  expect(await whenFiled(async () => "event", settled)).toBe("event");
});

it("what is not there is known at once where nothing is on its way", async () => {
  vi.useFakeTimers();
  expect(
    await whenFiled(
      async () => undefined,
      async () => undefined,
    ),
  ).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

it("what is on its way is waited for", async () => {
  let event: string | undefined;
  const filing = Promise.withResolvers<void>();
  const found = whenFiled(
    async () => event,
    () => filing.promise,
  );
  event = "event";
  filing.resolve();
  expect(await found).toBe("event");
});

it("the wait ends after three seconds, whatever holds up filing", async () => {
  vi.useFakeTimers();
  const found = whenFiled(
    async () => undefined,
    () => new Promise(() => undefined),
  );
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await found).toBeUndefined();
});
