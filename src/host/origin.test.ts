import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { createClientAddresses } from "./origin.ts";

function from(remoteAddress: string, headers: Record<string, string>): IncomingMessage {
  return { socket: { remoteAddress }, headers: { host: "shop.example", ...headers } } as unknown as IncomingMessage;
}

const forwarded = {
  "x-forwarded-proto": "https",
  "x-forwarded-host": "public.example",
  "x-forwarded-for": "6.6.6.6, 203.0.113.9",
};

test("forwarding headers count only when a configured proxy sent them", () => {
  const { originOf, clientOf } = createClientAddresses({ origin: undefined, trustedProxies: ["10.0.0.0/8", "::1"] });
  for (const proxy of ["10.1.2.3", "::1", "::ffff:10.1.2.3"]) {
    expect(originOf(from(proxy, forwarded))).toBe("https://public.example");
    // The proxy itself saw the last entry; the client claimed the first.
    expect(clientOf(from(proxy, forwarded))).toBe("203.0.113.9");
  }
  for (const stranger of ["203.0.113.7", "11.0.0.1", "::2"]) {
    expect(originOf(from(stranger, forwarded))).toBe("http://shop.example");
    expect(clientOf(from(stranger, forwarded))).toBe(stranger);
  }
});

test("a configured origin is the origin, whatever a client sends", () => {
  const { originOf } = createClientAddresses({ origin: "https://shop.example", trustedProxies: ["10.0.0.1"] });
  expect(originOf(from("10.0.0.1", forwarded))).toBe("https://shop.example");
});

test("an invalid host that a proxy forwards belongs to no origin", () => {
  const { originOf } = createClientAddresses({ origin: undefined, trustedProxies: ["10.0.0.1"] });
  for (const host of ["a b", "a:99999", "[::1"])
    expect(originOf(from("10.0.0.1", { "x-forwarded-host": host }))).toBe("http://invalid");
});
