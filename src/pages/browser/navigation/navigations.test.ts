import { describe, expect, it } from "vitest";
import { silentBrowserSignals } from "#signals";
import { browserLimits } from "../../limits.ts";
import type { PageAnswer } from "../data/page-answer.ts";
import type { PageProgress, PageSource } from "../data/page-source.ts";
import { type NavigationDeps, Navigations } from "./navigations.ts";

const to = "https://app.test/a";

describe("going to a page", () => {
  it("shows it when data and code have arrived", async () => {
    const { click, answer, log } = aTab();
    click(to);
    answer({ kind: "answered", page, source: "fetched" });
    await settled();
    expect(log).toEqual(["started /a", "get /a", "commit /a", "committed"]);
  });

  it("ends by its timer when no event arrives", async () => {
    const { click, wait, log } = aTab();
    click(to);
    await settled();
    await wait(1_800);
    await wait(2_000);
    expect(log).toEqual(["started /a", "get /a", "probe", "stop", "full load /a timeout-data", "handed-over"]);
  });

  it("continues after an effect has thrown", async () => {
    const { click, answer, log } = aTab({
      commit: () => {
        throw new Error("broken");
      },
    });
    click(to);
    answer({ kind: "answered", page, source: "fetched" });
    await settled();
    expect(log).toContain("broke: broken");
    click("https://app.test/b");
    expect(log.at(-1)).toBe("get /b");
  });

  it("adds the digest of a failure to the trace", async () => {
    const { click, answer, log } = aTab({ ledger: { mayLoad: () => false, note: () => undefined } });
    click(to);
    answer({ kind: "data-failed", reason: "unreadable-data" });
    expect(log.slice(-2)).toEqual(["error page /a", "failed AAAA-BBBB-CCCC"]);
  });
});

const page: PageAnswer = {
  kind: "page",
  view: { kind: "page", status: 200, route: 0, params: {}, folders: [], data: [] },
  preamble: { build: "b1", route: "/a", fresh: 0, expires: 0, tag: "" },
  text: "",
  sentAt: 0,
  asOf: 0,
  route: "/a",
  status: 200,
  plain: true,
};

const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

/** A tab whose dependencies only record their calls, on a clock that the test moves. */
function aTab(changes: Partial<NavigationDeps> = {}) {
  const log: string[] = [];
  const timers = new Set<{ at: number; run: () => void }>();
  let now = 0;
  let tell: (news: PageProgress) => void = () => undefined;
  const pathOf = (url: string) => new URL(url).pathname;
  const source: Pick<PageSource, "get" | "stopPending" | "shown" | "abortAll" | "pause" | "forget"> = {
    get(_id, target, _ask, told) {
      log.push(`get ${pathOf(target.to)}`);
      tell = told;
    },
    stopPending: () => void log.push("stop"),
    shown: () => undefined,
    abortAll: () => undefined,
    forget: () => undefined,
    pause: () => undefined,
  };
  const navigations = new Navigations({
    limits: browserLimits,
    now: () => now,
    setTimer(run, ms) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    signals: {
      ...silentBrowserSignals,
      navigationStarted(facts) {
        log.push(`started ${pathOf(facts.to)}`);
        return {
          headers: () => ({}),
          dataRequested: () => undefined,
          ended: (outcome) => log.push("digest" in outcome ? `${outcome.kind} ${outcome.digest}` : outcome.kind),
        };
      },
    },
    // Only these methods are called.
    source: source as PageSource,
    ledger: { mayLoad: () => true, note: () => undefined },
    currentUrl: () => "https://app.test/",
    judge: () => "page",
    cached: () => undefined,
    loadCode: async () => undefined,
    isStyleError: () => false,
    probe: async () => {
      log.push("probe");
      return true;
    },
    commit: (target) => void log.push(`commit ${pathOf(target.to)}`),
    showError(target) {
      log.push(`error page ${pathOf(target.to)}`);
      return "AAAA-BBBB-CCCC";
    },
    fullLoad: (target, reason) => void log.push(`full load ${pathOf(target.to)} ${reason}`),
    stopLoad: () => undefined,
    broke: (error) => void log.push(`broke: ${error instanceof Error ? error.message : error}`),
    changed: () => undefined,
    ...changes,
  });
  return {
    log,
    click: (address: string) => navigations.dispatch({ kind: "started", target: { to: address, how: "push" } }),
    answer: (news: PageProgress) => tell(news),
    async wait(ms: number) {
      now += ms;
      for (const timer of [...timers]) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.run();
      }
      await settled();
    },
  };
}
