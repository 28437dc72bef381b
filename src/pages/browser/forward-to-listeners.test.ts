import { describe, expect, test } from "vitest";
import { silentBrowserSignals } from "#signals";
import { onSignal, type Signal } from "../react/on-signal.ts";
import { forwardToListeners } from "./forward-to-listeners.ts";

const facts = { id: 1, from: "/a", to: "/b", kind: "push" } as const;

describe("signals that an application listens to", () => {
  test("report a navigation from its start to its single end", () => {
    const heard: Signal[] = [];
    const stop = onSignal((signal) => heard.push(signal));
    forwardToListeners(silentBrowserSignals)
      .navigationStarted(facts)
      .ended({ kind: "handed-over", reason: "cut-data" });
    stop();
    expect(heard).toMatchObject([
      { kind: "navigation-started", navigation: facts },
      { kind: "navigation-ended", navigation: facts, outcome: { kind: "handed-over", reason: "cut-data" } },
    ]);
  });

  test("signals that an application listens to reach the reporter first, and no listener that has stopped", () => {
    const order: string[] = [];
    const stop = onSignal(() => order.push("listener"));
    const signals = forwardToListeners({ ...silentBrowserSignals, prefetchEnded: () => order.push("reporter") });
    signals.prefetchEnded({ url: "/a", outcome: "stored" });
    stop();
    signals.prefetchEnded({ url: "/b", outcome: "stored" });
    expect(order).toEqual(["reporter", "listener", "reporter"]);
  });

  test("return the results of the reporter", () => {
    const digest = "7K2M-9QXD-4TBA";
    const headers = { "sentry-trace": "1" };
    const navigation = { headers: () => headers, dataRequested: () => undefined, ended: () => undefined };
    const signals = forwardToListeners({
      ...silentBrowserSignals,
      navigationStarted: () => navigation,
      errorCaught: () => digest,
    });
    expect(signals.navigationStarted(facts).headers()).toBe(headers);
    expect(signals.errorCaught(new Error("x"), { side: "browser", during: "event" })).toBe(digest);
  });
});
