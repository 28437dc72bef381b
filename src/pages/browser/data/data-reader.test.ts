import { describe, expect, it } from "vitest";
import { isAffected } from "../../affected.ts";
import { browserLimits } from "../../limits.ts";
import type { ReadReason } from "../../react/data-outcome.ts";
import { DataReader } from "./data-reader.ts";
import type { PageAnswer } from "./page-answer.ts";
import type { PageProgress } from "./page-source.ts";

describe("reading the data of another page", () => {
  it("returns the page's own data, without that of its layouts", async () => {
    const { read, tell } = aReader();
    const outcome = read("/orders/7");
    tell({ kind: "alive" });
    tell(page({ kind: "page", data: ["of the layout", "own"], folders: [0] }));
    expect(await outcome).toEqual({ kind: "loaded", data: "own" });
  });

  it.each([
    [
      { kind: "not-found", status: 404 },
      { kind: "not-found", status: 404 },
    ],
    [
      { kind: "error", status: 403 },
      { kind: "refused", status: 403 },
    ],
    [
      { kind: "error", status: 500, digest: "7K2M-9QXD-4TBA" },
      { kind: "failed", status: 500, digest: "7K2M-9QXD-4TBA" },
    ],
  ])("has a kind for %o", async (view, expected) => {
    const { read, tell } = aReader();
    const outcome = read("/orders/7");
    tell(page(view));
    expect(await outcome).toEqual(expected);
  });

  it("does not follow a redirect", async () => {
    const { read, tell, asked } = aReader();
    const outcome = read("/orders/7");
    tell({ kind: "redirected", to: "https://app.test/sign-in" });
    expect(await outcome).toEqual({ kind: "redirected", to: "https://app.test/sign-in" });
    expect(asked).toHaveLength(1);
  });

  it("waits for a lost connection as long as it takes, and asks a reachable server once more", async () => {
    const { read, fail, later, reach, tell, held, asked, steps } = aReader();
    const outcome = read("/orders/7");
    for (const pause of [1_000, 2_000, 5_000, 10_000, 10_000]) {
      fail("network");
      await steps();
      expect(later()).toBe(pause);
      await steps();
    }
    expect(held()).toBe(5);
    reach();
    fail("network");
    await steps();
    tell(page({ kind: "page", data: ["own"] }));
    expect(await outcome).toEqual({ kind: "loaded", data: "own" });
    expect(asked).toHaveLength(7);
  });

  it("ends with a digest if a reachable server does not answer twice, or answers with something else", async () => {
    const twice = aReader();
    twice.reach();
    const outcome = twice.read("/orders/7");
    twice.fail("cut-data");
    await twice.steps();
    // It sends heartbeats, but the page does not arrive.
    expect(twice.later()).toBe(browserLimits.navigationCapMs);
    expect(await outcome).toEqual({ kind: "unreadable", reason: "timeout-data", digest: "7K2M-9QXD-4TBA" });
    const other = aReader();
    const unreadable = other.read("/orders/7");
    other.fail("wrong-content-type");
    expect(await unreadable).toMatchObject({ kind: "unreadable", reason: "wrong-content-type" });
    expect(other.asked).toHaveLength(1);
  });

  it("renews the page of an older build only if the page has asked", async () => {
    const { read, fail, otherBuilds } = aReader();
    const byItself = read("/orders/7", "change");
    fail("build-mismatch");
    expect(await byItself).toEqual({ kind: "outdated" });
    expect(otherBuilds()).toBe(0);
    const asked = read("/orders/7", "reload");
    fail("build-mismatch");
    expect(await asked).toEqual({ kind: "outdated" });
    expect(otherBuilds()).toBe(1);
  });

  it("stops with its signal, also the late parts of what has arrived", async () => {
    const { read, tell, stop, stopped } = aReader();
    const outcome = read("/orders/7");
    tell(page({ kind: "page", data: ["own"] }));
    await outcome;
    expect(stopped()).toBe(0);
    stop();
    expect(stopped()).toBe(1);
    expect(await read("/orders/8")).toEqual({ kind: "superseded" });
  });
});

describe("a change", () => {
  it("a change of names concerns pages that depend on them, and those that do not say on what", async () => {
    const { reader, read, tell } = aReader();
    for (const [href, depends] of [["/orders", ["orders"]], ["/menu", ["menu"]], ["/any"]] as const) {
      const outcome = read(href);
      tell(page({ kind: "page", data: ["own"] }, depends && [...depends]));
      await outcome;
    }
    const concerned: string[][] = [];
    reader.onChange((isChanged) => concerned.push(["/orders", "/menu", "/any"].filter(isChanged)));
    reader.changed(false, ["menu"]);
    reader.changed(false);
    expect(concerned).toEqual([
      ["/menu", "/any"],
      ["/orders", "/menu", "/any"],
    ]);
  });

  it("is passed on at once, in a hidden tab when it is visible again, unless another user may be signed in", () => {
    const { reader, hide, changes } = aReader();
    reader.changed(false);
    expect(changes()).toBe(1);
    hide(true);
    reader.changed(false);
    reader.changed(false);
    expect(changes()).toBe(1);
    reader.changed(true);
    expect(changes()).toBe(2);
    reader.changed(false);
    hide(false);
    reader.settle();
    reader.settle();
    expect(changes()).toBe(3);
  });
});

function page(view: object, depends?: string[]): PageProgress {
  const shown = { status: 200, folders: [], data: [], ...view };
  return { kind: "answered", page: { view: shown, depends } as unknown as PageAnswer, source: "fetched" };
}

function aReader() {
  const controller = new AbortController();
  const asked: string[] = [];
  const timers: { run: () => void; ms: number }[] = [];
  let tell: (progress: PageProgress) => void = () => undefined;
  const counts = { held: 0, otherBuilds: 0, stopped: 0, changes: 0 };
  const is = { reachable: false, hidden: false };
  const reader = new DataReader({
    limits: browserLimits,
    screen: { url: "https://app.test/" },
    report: () => "7K2M-9QXD-4TBA",
    source: {
      read(url, _refetch, onProgress) {
        asked.push(url);
        tell = onProgress;
        return () => {
          counts.stopped += 1;
        };
      },
    },
    setTimer(run, ms) {
      const timer = { run, ms };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    isHidden: () => is.hidden,
    isAffected,
    probe: async () => is.reachable,
    onceOnline: () => undefined,
    metOtherBuild: () => {
      counts.otherBuilds += 1;
    },
  });
  reader.onChange(() => {
    counts.changes += 1;
  });
  const onHeld = (): void => {
    counts.held += 1;
  };
  return {
    reader,
    asked,
    read: (href: string, why: ReadReason = "load") => reader.read(href, { why, signal: controller.signal, onHeld }),
    tell: (progress: PageProgress) => tell(progress),
    fail: (reason: Extract<PageProgress, { kind: "data-failed" }>["reason"]) =>
      tell({ kind: "data-failed", reason, joined: false }),
    /** Runs the newest timer and returns its time. */
    later(): number | undefined {
      const timer = timers.pop();
      timer?.run();
      return timer?.ms;
    },
    /** Lets promises that have settled continue. */
    steps: () => new Promise((resolve) => setTimeout(resolve)),
    reach: () => {
      is.reachable = true;
    },
    hide: (hidden: boolean) => {
      is.hidden = hidden;
    },
    stop: () => controller.abort(),
    held: () => counts.held,
    otherBuilds: () => counts.otherBuilds,
    stopped: () => counts.stopped,
    changes: () => counts.changes,
  };
}
