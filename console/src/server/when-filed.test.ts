import { afterEach, expect, it, vi } from "vitest";
import { whenFiled } from "./when-filed.ts";

afterEach(() => void vi.useRealTimers());

it("a stored event is returned without waiting", async () => {
  const settled = () => Promise.reject(new Error("asked in vain"));
  expect(await whenFiled(async () => "event", settled)).toBe("event");
});

it("a missing event is reported at once if nothing is in transit", async () => {
  vi.useFakeTimers();
  expect(
    await whenFiled(
      async () => undefined,
      async () => undefined,
    ),
  ).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

it("an event in transit is awaited", async () => {
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

it("the wait ends after three seconds, whatever delays filing", async () => {
  vi.useFakeTimers();
  const found = whenFiled(
    async () => undefined,
    () => new Promise(() => undefined),
  );
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await found).toBeUndefined();
});
