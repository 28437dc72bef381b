import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { createHostCheck } from "./known-hosts.ts";

const check = (options: Partial<Parameters<typeof createHostCheck>[0]> = {}) =>
  createHostCheck({ hosts: undefined, origin: undefined, listensOn: "localhost", development: false, ...options });
const ofThisMachine = ["localhost:3000", "app.localhost", "127.0.0.1:3000", "[::1]:3000", "192.168.0.7", hostname()];
const rebound = [
  "evil.example",
  "evil.example:3000",
  "localhost.evil.example",
  "127.0.0.1.nip.io",
  "",
  "evil.example.",
];

describe("a host", () => {
  test("is answered in production under any name, until the settings list some", () => {
    for (const host of [...ofThisMachine, ...rebound]) expect(check()(host)).toBe(true);
  });

  test("is answered in development if it is of this machine, an IP address, the origin, or listed", () => {
    const isKnown = check({ development: true, origin: "https://shop.example", listensOn: "box.lan" });
    for (const host of [...ofThisMachine, "shop.example", "SHOP.example.:443", "box.lan"])
      expect([host, isKnown(host)]).toEqual([host, true]);
    for (const host of rebound) expect([host, isKnown(host)]).toEqual([host, false]);
    expect(check({ development: true })(undefined)).toBe(false);
  });

  test("is answered if the settings list it, or a wildcard above it", () => {
    const isKnown = check({ hosts: ["shop.example", "*.shop.test"] });
    for (const host of ["shop.example", "Shop.Example:8080", "a.shop.test", "a.b.shop.test", ...ofThisMachine])
      expect([host, isKnown(host)]).toEqual([host, true]);
    for (const host of ["www.shop.example", "shop.test", "evilshop.test", ...rebound])
      expect([host, isKnown(host)]).toEqual([host, false]);
  });
});
