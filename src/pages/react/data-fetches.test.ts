import { describe, expect, it } from "vitest";
import { DataFetches } from "./data-fetches.ts";
import type { DataOutcome, ReadOptions } from "./data-outcome.ts";

describe("fetchers of one key", () => {
  it("fetchers of one key share one request and its data", async () => {
    const { fetches, asked, answer, seen, show } = aStore();
    show("a");
    show("a");
    const [one, two] = [fetches.load("a", "/orders/7"), fetches.load("a", "/orders/7")];
    expect(fetches.read("a")).toMatchObject({ pending: true, data: undefined });
    await answer({ kind: "loaded", data: "seven" });
    expect(await Promise.all([one, two])).toEqual([1, 2].map(() => ({ kind: "loaded", data: "seven" })));
    expect(fetches.read("a")).toEqual({ pending: false, held: false, data: "seven", failure: undefined });
    expect(asked()).toEqual(["load /orders/7"]);
    expect(seen()).toBeGreaterThan(1);
  });

  it("fetchers of one key show only the newest load; data of another path is not shown meanwhile, that of another search is", async () => {
    const { fetches, answer, show, asked } = aStore();
    show("a");
    const old = fetches.load("a", "/orders/7");
    const newer = fetches.load("a", "/orders/8");
    await answer({ kind: "loaded", data: "seven" }, 0);
    expect(await old).toEqual({ kind: "superseded" });
    await answer({ kind: "loaded", data: "eight" });
    await newer;
    void fetches.load("a", "/orders/8?tab=items");
    expect(fetches.read("a")).toMatchObject({ pending: true, data: "eight" });
    void fetches.load("a", "/orders/9");
    expect(fetches.read("a")).toMatchObject({ pending: true, data: undefined });
    expect(asked()).toHaveLength(2);
  });

  it("fetchers of one key are dropped with the last component, with their request", async () => {
    const { fetches, show, answer, signals, steps } = aStore();
    const [hideOne, hideTwo] = [show("a"), show("a")];
    void fetches.load("a", "/orders/7");
    await answer({ kind: "loaded", data: "seven" });
    hideOne();
    await steps();
    expect(fetches.read("a").data).toBe("seven");
    // Another component takes over in the same moment.
    hideTwo();
    const hideThree = show("a");
    await steps();
    expect([fetches.read("a").data, signals().at(-1)?.aborted]).toEqual(["seven", false]);
    hideThree();
    await steps();
    expect([fetches.read("a").data, signals().at(-1)?.aborted]).toEqual([undefined, true]);
  });
});

describe("a failed load", () => {
  it.each([
    [{ kind: "failed", status: 500, digest: undefined }, "seven"],
    [{ kind: "not-found", status: 404 }, undefined],
    [{ kind: "redirected", to: "/sign-in" }, undefined],
  ] as const)("%o leaves the data %s", async (failure, data) => {
    const { fetches, show, answer } = aStore();
    show("a");
    void fetches.load("a", "/orders/7");
    await answer({ kind: "loaded", data: "seven" });
    void fetches.reload("a");
    await answer(failure);
    expect(fetches.read("a")).toEqual({ pending: false, held: false, data, failure });
  });
});

describe("a change", () => {
  it("loads again what is shown, without a sign of it, and leaves pending loads to their caller", async () => {
    const { fetches, show, answer, change, asked } = aStore();
    show("a");
    show("b");
    void fetches.load("a", "/orders/7");
    await answer({ kind: "loaded", data: "seven" });
    const pending = fetches.load("b", "/orders/8");
    await answer(undefined);
    change();
    expect(fetches.read("a")).toMatchObject({ pending: false, data: "seven" });
    await answer({ kind: "loaded", data: "new" });
    expect(fetches.read("a").data).toBe("new");
    expect(asked()).toEqual(["load /orders/7", "load /orders/8", "change /orders/7"]);
    await answer({ kind: "loaded", data: "eight" }, 1);
    expect(await pending).toEqual({ kind: "loaded", data: "eight" });
    change(/orders.9/);
    await answer(undefined);
    expect(asked()).toHaveLength(3);
    // A page that the visitor reads is not replaced because of a deploy.
    change();
    await answer({ kind: "outdated" });
    expect(fetches.read("b")).toMatchObject({ data: "eight", failure: undefined });
  });
});

function aStore() {
  const reads: { href: string; options: ReadOptions; resolve(outcome: DataOutcome): void }[] = [];
  let change: (isChanged: (href: string) => boolean) => void = () => undefined;
  let seen = 0;
  const fetches = new DataFetches({
    reader: async () => ({
      read: (href, options) => new Promise((resolve) => reads.push({ href, options, resolve })),
      onChange: (listener) => {
        change = listener;
        return () => undefined;
      },
    }),
    pause: async () => undefined,
  });
  /** Lets promises that have settled continue. */
  const steps = () => new Promise((resolve) => setTimeout(resolve));
  return {
    fetches,
    steps,
    change: (of = /./) => change((href) => of.test(href)),
    seen: () => seen,
    signals: () => reads.map(({ options }) => options.signal),
    asked: () => reads.map(({ href, options }) => `${options.why} ${href}`),
    show: (key: string) =>
      fetches.subscribe(key, () => {
        seen += 1;
      }),
    async answer(outcome: DataOutcome | undefined, at = -1) {
      await steps();
      if (outcome) reads.at(at)?.resolve(outcome);
      await steps();
    },
  };
}
