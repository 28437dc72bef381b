import { expect, test } from "vitest";
import type { ReportedEvent } from "#protocol";
import { deviceOf } from "./device.ts";

const event = (fields: Partial<ReportedEvent>): ReportedEvent => ({
  level: "error",
  exceptions: [],
  tags: {},
  breadcrumbs: [],
  contexts: {},
  extra: {},
  modules: {},
  debugImages: [],
  ...fields,
});

const withAgent = (agent: string): ReportedEvent => event({ request: { headers: { "User-Agent": agent } } });

test("a device is named by what its client says of browser, model and system", () => {
  const contexts = {
    browser: { name: "Safari", version: "26.1" },
    os: { name: "iOS", version: "26.1.2" },
    device: { model: "iPhone17,2" },
  };
  expect(deviceOf(event({ contexts }))).toBe("Safari 26 on iPhone17,2, iOS 26");
  expect(deviceOf(event({ tags: { browser: "Firefox 140" } }))).toBe("Firefox 140");
});

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox 144 on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0",
    "Edge 142 on Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
    "Safari 18 on iOS",
  ],
  ["curl/8.0", undefined],
])("it is read from the header of the request: %s", (agent, device) => {
  expect(deviceOf(withAgent(agent))).toBe(device);
});

test("the system of a server is not that of a visitor", () => {
  expect(deviceOf(event({ contexts: { runtime: { name: "node" }, os: { name: "Linux" } } }))).toBeUndefined();
});
