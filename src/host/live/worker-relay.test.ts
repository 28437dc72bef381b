import { expect, onTestFinished, test, vi } from "vitest";
import { BoundedLine, type ChannelMessage } from "./worker-relay.ts";

type Sent = (error: Error | null) => void;

/** A line to a process that takes nothing until it is told to. */
function stuck() {
  const messages: ChannelMessage[] = [];
  const waiting: Sent[] = [];
  const line = new BoundedLine({
    send: (message, sent) => {
      messages.push(message);
      waiting.push(sent);
    },
  });
  const take = (): void => {
    for (const sent of waiting.splice(0)) sent(null);
  };
  return { line, messages, take };
}

const message = (text: string): ChannelMessage => ({ kind: "channel", channel: "a", text });

test("small messages to a process that reads nothing are bounded too, and it learns that it has missed some", async () => {
  const { line, messages, take } = stuck();
  const outcomes = Array.from({ length: 100_000 }, () => line.send(message("ab")));
  expect(messages.length).toBeLessThan(8_193);
  take();
  const kept = messages.length - 1;
  expect(messages.at(-1)).toEqual({ kind: "channel-gap" });
  expect((await Promise.all(outcomes)).filter(Boolean)).toHaveLength(kept);
  expect(kept).toBeGreaterThan(8_000);
});

test("publishers do not wait for a process that reads nothing, and only the first waits to learn it", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { line, messages, take } = stuck();
  const first = line.send(message("1"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await first).toBe(true);
  const second = line.send(message("2"));
  await vi.advanceTimersByTimeAsync(1);
  expect(await second).toBe(true);
  take();
  let isTaken = false;
  const third = line.send(message("3")).then(() => {
    isTaken = true;
  });
  await vi.advanceTimersByTimeAsync(500);
  expect(isTaken).toBe(false);
  take();
  await third;
  expect(messages).toEqual([message("1"), message("2"), message("3")]);
});

test("a message that could not be written has not been sent", async () => {
  const line = new BoundedLine({ send: (_message, sent) => sent(new Error("closed")) });
  expect(await line.send(message("1"))).toBe(false);
});
