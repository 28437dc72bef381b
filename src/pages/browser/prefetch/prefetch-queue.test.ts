import { describe, expect, it } from "vitest";
import { browserLimits } from "../../limits.ts";
import { PrefetchQueue } from "./prefetch-queue.ts";

describe("the prefetch queue", () => {
  it("never runs more than five of 200 links, however they end", () => {
    const { queue, sent, running, finish, wait } = aQueue();
    let most = 0;
    for (let i = 0; i < 200; i++) {
      queue.want(`/${i}`, i % 3 === 0 ? "intent" : i % 3 === 1 ? "viewport" : "render", i);
      most = Math.max(most, running.size);
      if (i % 7 === 0) queue.pause(i % 2 === 0);
      if (i % 5 === 0) finish();
      most = Math.max(most, running.size);
      wait(2_000);
    }
    queue.pause(false);
    while (running.size > 0) {
      most = Math.max(most, running.size);
      finish();
      wait(2_000);
    }
    expect(most).toBe(5);
    expect(queue.runningCount).toBe(0);
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent.length).toBeGreaterThan(150);
  });

  it("sends the link under the pointer first, then the nearest in the viewport, then the rest", () => {
    const { queue, sent, finish } = aQueue();
    for (let i = 0; i < 5; i++) queue.want(`/busy${i}`, "render");
    queue.want("/rest", "render");
    queue.want("/far", "viewport", 900);
    queue.want("/near", "viewport", 10);
    queue.want("/pointed", "intent");
    queue.want("/pointed-last", "intent");
    for (let i = 0; i < 5; i++) finish();
    expect(sent.slice(5)).toEqual(["/pointed-last", "/pointed", "/near", "/far", "/rest"]);
  });

  it("raises the priority of an address that is requested more urgently, and sends it once", () => {
    const { queue, sent, finish } = aQueue();
    for (let i = 0; i < 5; i++) queue.want(`/busy${i}`, "render");
    queue.want("/a", "viewport", 1);
    queue.want("/b", "viewport", 2);
    queue.want("/b", "intent");
    queue.want("/b", "render");
    finish();
    finish();
    expect(sent.slice(5)).toEqual(["/b", "/a"]);
  });

  it("sends nothing while a navigation is pending and continues afterwards", () => {
    const { queue, sent } = aQueue();
    queue.pause(true);
    queue.want("/a", "intent");
    expect(sent).toEqual([]);
    queue.pause(false);
    expect(sent).toEqual(["/a"]);
  });

  it("drops a link that was clicked or left the viewport", () => {
    const { queue, sent } = aQueue();
    queue.pause(true);
    queue.want("/a", "intent");
    queue.want("/b", "intent");
    queue.drop("/b");
    queue.pause(false);
    expect(sent).toEqual(["/a"]);
  });

  it("sends 20 in a burst, then one more each two seconds, and counts what it suppressed", () => {
    const { queue, sent, suppressed, finish, wait } = aQueue();
    for (let i = 0; i < 25; i++) {
      queue.want(`/${i}`, "intent");
      finish();
    }
    expect(sent).toHaveLength(20);
    expect(suppressed).toHaveLength(5);
    wait(1_999);
    queue.want("/early", "intent");
    expect(sent).toHaveLength(20);
    wait(1);
    queue.want("/in-time", "intent");
    expect(sent.at(-1)).toBe("/in-time");
  });

  it("sends at most 50 in the first minute and 30 in each further one when requests never stop", () => {
    const { queue, sent, finish, wait } = aQueue();
    const perMinute: number[] = [];
    for (let minute = 0; minute < 3; minute++) {
      const before = sent.length;
      for (let i = 0; i < 600; i++) {
        wait(100);
        queue.want(`/${minute}-${i}`, "render");
        finish();
      }
      perMinute.push(sent.length - before);
    }
    expect(perMinute[0]).toBeLessThanOrEqual(50);
    expect(perMinute.slice(1)).toEqual([30, 30]);
  });

  it("sends one address at most once in 30 seconds", () => {
    const { queue, sent, finish, wait } = aQueue();
    queue.want("/a", "intent");
    finish();
    wait(29_999);
    queue.want("/a", "intent");
    expect(sent).toEqual(["/a"]);
    wait(1);
    queue.want("/a", "intent");
    expect(sent).toEqual(["/a", "/a"]);
  });

  it("may send an address again at once after a change", () => {
    const { queue, sent, finish } = aQueue();
    queue.want("/a", "intent");
    finish();
    queue.forget();
    queue.want("/a", "intent");
    expect(sent).toEqual(["/a", "/a"]);
  });

  it("stops for the time the server asked for", () => {
    const { queue, sent, suppressed, wait } = aQueue();
    queue.pause(true);
    queue.want("/waiting", "viewport");
    queue.stopFor(10_000);
    queue.pause(false);
    wait(9_999);
    queue.want("/a", "intent");
    expect(sent).toEqual([]);
    expect(suppressed).toEqual(["/waiting", "/a"]);
    wait(1);
    queue.want("/b", "intent");
    expect(sent).toEqual(["/b"]);
  });
});

function aQueue() {
  let now = 0;
  const sent: string[] = [];
  const suppressed: string[] = [];
  const running = new Set<string>();
  const queue = new PrefetchQueue(browserLimits, {
    now: () => now,
    send(url) {
      sent.push(url);
      running.add(url);
    },
    suppressed: (url) => suppressed.push(url),
  });
  /** Ends the prefetch that has run longest. */
  const finish = () => {
    const [first] = running;
    if (first === undefined) return;
    running.delete(first);
    queue.ended(first);
  };
  const wait = (ms: number) => {
    now += ms;
  };
  return { queue, sent, suppressed, running, finish, wait };
}
