import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { chooseEncoding } from "./choose-encoding.ts";
import { addVary } from "./headers.ts";
import { isCrossSite, isFromOwnPage, isFromThisMachine } from "./sender.ts";

const offered = ["zstd", "br", "gzip"] as const;

describe("chooseEncoding", () => {
  it.each([
    ["gzip, br", "br"],
    ["GZIP", "gzip"],
    ["zstd;q=0, gzip;q=0.5", "gzip"],
    ["br;q=0.0", undefined],
    ["identity", undefined],
    ["brotli", undefined],
    [undefined, undefined],
  ])("chooses from %j the encoding %j", (accepted, chosen) => {
    expect(chooseEncoding(accepted, offered)).toBe(chosen);
  });
});

describe("Vary", () => {
  it("is one line, which every cache reads as a whole", () => {
    const headers = ["X-Own", "vary"];
    addVary(headers, "Accept-Language");
    addVary(headers, "Accept-Encoding");
    expect(headers).toEqual(["X-Own", "vary", "Vary", "Accept-Language, Accept-Encoding"]);
  });
});

describe("the sender of a request", () => {
  const own = "https://shop.example";
  const post = (headers: Record<string, string>, remoteAddress = "10.0.0.9"): IncomingMessage =>
    ({ method: "POST", headers, socket: { remoteAddress } }) as unknown as IncomingMessage;

  it("is another site if the browser reports so or sends another origin", () => {
    expect(isCrossSite(post({ "sec-fetch-site": "cross-site" }), own, [])).toBe(true);
    expect(isCrossSite(post({ "sec-fetch-site": "same-site" }), own, [])).toBe(true);
    expect(isCrossSite(post({ origin: "null" }), own, [])).toBe(true);
    expect(isCrossSite(post({ origin: own }), own, [])).toBe(false);
    expect(isCrossSite(post({}), own, [])).toBe(false);
    expect(isCrossSite(post({ origin: "https://friend.example" }), own, ["https://friend.example"])).toBe(false);
  });

  it("is an own page if the headers show it, and unknown without them", () => {
    expect(isFromOwnPage(post({ "sec-fetch-site": "same-origin" }), own)).toBe(true);
    expect(isFromOwnPage(post({ "sec-fetch-site": "none" }), own)).toBe(false);
    expect(isFromOwnPage(post({ origin: own }), own)).toBe(true);
    expect(isFromOwnPage(post({ origin: "https://evil.example" }), own)).toBe(false);
    expect(isFromOwnPage(post({ origin: own }))).toBeUndefined();
    expect(isFromOwnPage(post({}), own)).toBeUndefined();
  });

  it("is this machine by the address of its socket, but not through a proxy", () => {
    expect(isFromThisMachine(post({}, "::ffff:127.0.0.1"))).toBe(true);
    expect(isFromThisMachine(post({ "x-forwarded-for": "203.0.113.7" }, "127.0.0.1"))).toBe(false);
    expect(isFromThisMachine(post({}))).toBe(false);
  });
});
