import { describe, expect, it } from "vitest";
import type { ReportedEvent } from "#protocol";
import { eventFacts } from "./event-facts.ts";

function factsOf(contexts: ReportedEvent["contexts"], userAgent?: string) {
  return Object.fromEntries(
    eventFacts({
      eventId: "0".repeat(32),
      level: "error",
      exceptions: [],
      tags: {},
      breadcrumbs: [],
      contexts,
      extra: {},
      modules: {},
      debugImages: [],
      ...(userAgent !== undefined && { request: { headers: { "user-agent": userAgent } } }),
    }),
  );
}

describe("the facts of an event", () => {
  it("facts are words for what its page knew", () => {
    const holdfast = {
      visitor_saw: "error-page",
      navigation: "push",
      prefetch: { state: "fresh", age_ms: 2_340 },
      page_build: "a1",
      server_build: "b2",
      online: false,
    };
    expect(factsOf({ holdfast })).toEqual({
      "visitor saw": "the error page",
      navigation: "to a new page (push)",
      prefetch: "fresh, 2.3 s old",
      "page build": "a1, another than the server's",
      "server build": "b2",
      connection: "offline when it happened",
    });
    expect(factsOf({ holdfast: { page_build: "a1", server_build: "a1", online: true } })).toEqual({
      build: "a1, page and server",
    });
    expect(factsOf({ submission: { kept: true, route: "/checkout", action: "order" } })).toEqual({
      "what was sent": "is kept, and can be run again: /checkout order",
    });
  });

  it("facts are absent if nothing was measured, or if it is no fact", () => {
    expect(factsOf({})).toEqual({});
    expect(factsOf({ holdfast: { prefetch: "soon", visitor_saw: 7, navigation: "" } })).toEqual({});
    expect(factsOf({ holdfast: { prefetch: { state: "joined" }, visitor_saw: "a-new-word" } })).toEqual({
      prefetch: "joined",
      "visitor saw": "a-new-word",
    });
  });

  it("facts name the device by its contexts, or else by the header of its browser", () => {
    const contexts = {
      browser: { name: "Safari", version: "26.1" },
      os: { name: "iOS", version: "26" },
      device: { family: "iPhone", model: "iPhone17,3" },
    };
    const header = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";
    expect(factsOf(contexts, header)).toEqual({ device: "Safari 26 on iPhone17,3, iOS 26" });
    expect(factsOf({}, header)).toEqual({ device: "Firefox 144 on Linux" });
  });
});
