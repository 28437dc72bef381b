import { describe, expect, it } from "vitest";
import { ByteBudget } from "./byte-budget.ts";
import { ClientCounts } from "./client-counts.ts";
import { LineBudget } from "./line-budget.ts";
import { Refusals } from "./refusals.ts";
import { isOwnNetwork, sourceOf } from "./source-of.ts";
import { TokenBuckets } from "./token-buckets.ts";
import { Turns } from "./turns.ts";

describe("turns", () => {
  /** Enters work that ends on request, and records the order in which work begins. */
  const entering = (turns: Turns) => {
    const begun: string[] = [];
    const leave = new Map<string, () => void>();
    const enter = (name: string, isUrgent = false) =>
      turns.enter((end) => {
        begun.push(name);
        leave.set(name, end);
      }, isUrgent);
    return { begun, enter, end: (name: string) => leave.get(name)?.() };
  };

  it("work over the limit waits in order, and work over the queue's length is refused", () => {
    const turns = new Turns({ atOnce: 2, waiting: 2 });
    const { begun, enter, end } = entering(turns);
    for (const name of ["a", "b", "c", "d"]) expect(enter(name)).toBeDefined();
    expect(enter("e")).toBeUndefined();
    expect([turns.running, turns.waiting, begun.join("")]).toEqual([2, 2, "ab"]);
    end("b");
    end("b");
    expect([turns.running, turns.waiting, begun.join("")]).toEqual([2, 1, "abc"]);
    expect(enter("f")).toBeDefined();
    for (const name of ["a", "c", "d", "f"]) end(name);
    expect([turns.running, turns.waiting, begun.join("")]).toEqual([0, 0, "abcdf"]);
  });

  it("work that has left the queue never begins", () => {
    const turns = new Turns({ atOnce: 1, waiting: 2 });
    const { begun, enter, end } = entering(turns);
    enter("a");
    const giveUp = enter("b");
    enter("c");
    giveUp?.();
    end("a");
    expect(begun.join("")).toBe("ac");
  });

  it("urgent work goes first and has reserved places", () => {
    const turns = new Turns({ atOnce: 1, waiting: 4, reservedForUrgent: 2 });
    const { begun, enter, end } = entering(turns);
    for (const name of ["a", "b", "c"]) expect(enter(name)).toBeDefined();
    expect(enter("d"), "the last places are kept").toBeUndefined();
    expect(enter("X", true)).toBeDefined();
    expect(enter("Y", true)).toBeDefined();
    expect(enter("Z", true)).toBeUndefined();
    for (const name of ["a", "X", "Y", "b", "c"]) end(name);
    expect(begun.join("")).toBe("aXYbc");
  });

  it("work that fails gives up its turn", async () => {
    const turns = new Turns({ atOnce: 1, waiting: 1 });
    await expect(turns.run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await turns.run(async () => 7)).toEqual({ kind: "done", value: 7 });
    const never = turns.run(() => new Promise(() => undefined));
    const waiting = turns.run(async () => 8);
    expect(await turns.run(async () => 9)).toEqual({ kind: "refused" });
    void never;
    void waiting;
  });
});

describe("a budget of bytes", () => {
  it("is shared by all, and no owner holds more than its share", () => {
    const budget = new ByteBudget(100, 40);
    const one = budget.hold("one");
    const again = budget.hold("one");
    const two = budget.hold();
    two.belongsTo("two");
    expect(one.take(30)).toBe(true);
    expect(again.take(11)).toBe(false);
    expect(again.take(10)).toBe(true);
    expect(two.take(40)).toBe(true);
    expect(budget.hold().take(21), "all together").toBe(false);
    one.release();
    one.release();
    expect(budget.heldBytes).toBe(50);
    expect(again.take(30)).toBe(true);
  });
});

describe("token buckets", () => {
  it("let a burst pass, then a rate per second, for each key separately", () => {
    const buckets = new TokenBuckets(2, 0.5);
    expect([0, 0, 0, 1_000, 2_000, 2_000].map((now) => buckets.take("a", now))).toEqual([0, 0, 2, 1, 0, 2]);
    expect(buckets.take("b", 2_000)).toBe(0);
  });

  it("forget the key that was idle longest", () => {
    const buckets = new TokenBuckets(1, 0.001, 2);
    for (const key of ["a", "b", "a", "c"]) buckets.take(key, 0);
    expect(buckets.take("a", 0)).toBeGreaterThan(0);
    expect(buckets.take("b", 0)).toBe(0);
  });
});

describe("a client", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["2001:db8:0:1:aaaa::1", "2001:db8:0:1::/64"],
    ["2001:DB8:0000:0001::2", "2001:db8:0:1::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["", ""],
  ])("a client at %s is %s", (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });
});

describe("an address", () => {
  it("an address of this machine or a private network may be a proxy's", () => {
    const own = ["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "172.31.9.9", "::1", "fd00::1", "fe80::1"];
    expect(own.filter((address) => !isOwnNetwork(address))).toEqual([]);
    const others = ["8.8.8.8", "172.32.0.1", "172.15.0.1", "192.169.0.1", "2001:db8::1", "::10", "100.1.1.1", ""];
    expect(others.filter(isOwnNetwork)).toEqual([]);
  });
});

describe("counts by client", () => {
  it("stop at the limit, for each client separately", () => {
    const counts = new ClientCounts(2);
    expect(["a", "a", "a", "b"].map((source) => counts.enter(source))).toEqual([true, true, false, true]);
    counts.leave("a");
    expect(["a", "a"].map((source) => counts.enter(source))).toEqual([true, false]);
  });
});

describe("a budget of lines", () => {
  it("lets a burst pass, then a number of characters per second, and counts the rest", () => {
    const budget = new LineBudget(100, 10);
    const write = (now: number): boolean => {
      const may = budget.mayWrite(now);
      if (may) budget.wrote(60);
      return may;
    };
    expect([0, 0, 0, 1_000, 3_000, 3_000].map(write)).toEqual([true, true, false, false, true, false]);
    expect([budget.takeLeftOut(), budget.takeLeftOut()]).toEqual([3, 0]);
  });
});

describe("refusals", () => {
  it("refusals are counted in total, and reported once", () => {
    const refusals = new Refusals();
    refusals.add("decoders");
    refusals.add("decoders", 2);
    expect(refusals.takeUnreported()).toEqual(new Map([["decoders", 3]]));
    expect(refusals.takeUnreported().size).toBe(0);
    expect(refusals.totals.get("decoders")).toBe(3);
  });
});
