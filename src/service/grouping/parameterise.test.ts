import { describe, expect, it } from "vitest";
import { parameterise } from "./parameterise.ts";

describe("parameterising a message", () => {
  it.each([
    ["Order 4711 not found", "Order <number> not found"],
    ["no user jo.doe+x@mail.example.org", "no user <email>"],
    ["GET https://api.test/orders/7?x=1 failed", "GET <url> failed"],
    ["id 6f1c2a34-9b1e-4c53-8a77-0123456789ab gone", "id <uuid> gone"],
    ["digest 7K2M-9QXD-4TBA", "digest <digest>"],
    ["since 2026-11-15T02:11:35.120Z", "since <date>"],
    ["connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED <ip>"],
    ["timeout after 3800 ms", "timeout after <duration>"],
    ["commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "commit <hex>"],
    ["at 0xdeadbeef", "at <hex>"],
    ["ratio -1.5e3, 2", "ratio <number>, <number>"],
    ["no /tmp/up_8f3a2b1c.tmp, job_6f1c2a34-9b1e-4c53-8a77-0123456789ab", "no /tmp/up_<hex>.tmp, job_<uuid>"],
    ["gave up after 1m30.5s", "gave up after <duration>"],
    ["larger than 12MB, 80px wide", "larger than <number>MB, <number>px wide"],
    ["no charge ch_3MmlLrLkdIwHu7ixUEO0kXQ4", "no charge ch_<id>"],
    ["job 01ARZ3NDEKTSV4RRFFQ69G5FAV timed out", "job <id> timed out"],
    ["::1 and 2001:db8::8a2e:370:7334 and fe80::1", "<ip> and <ip> and <ip>"],
  ])("%s → %s", (message, expected) => {
    expect(parameterise(message)).toBe(expected);
  });

  it.each([
    "utf8 decoding of sha256 failed",
    "InternationalizationError in convertUtf16ToUtf8",
    "std::vec::Vec is empty: a::b",
    "Cannot read properties of undefined (reading 'x1')",
    "defaced facade",
  ])("leaves words alone: %s", (message) => {
    expect(parameterise(message)).toBe(message);
  });

  it.each(["1:", "a.", "0-", "-1", "aaaa@", "::"])("ends quickly for a long text of %j", (part) => {
    // With a pattern that backtracks, this would exceed the time limit of the test.
    expect(parameterise(part.repeat(100_000)).length).toBeGreaterThan(0);
  });
});
