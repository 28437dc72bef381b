import { expect, test } from "vitest";
import { aliasesOf, visitorHash, visitorOf } from "./visitor-hash.ts";

test("a visitor is distinguished by the first identity, and found by all others and by name", () => {
  const user = {
    id: "u-777",
    email: "paula@mail.test",
    username: "paula",
    name: "Paula Paying",
    ipAddress: "192.0.2.7",
  };
  expect(visitorOf(user)).toBe(visitorHash("u-777"));
  expect(aliasesOf(user)).toEqual(["paula@mail.test", "paula", "Paula Paying"].map(visitorHash));
  expect(aliasesOf({ email: "paula@mail.test", name: "paula@mail.test" })).toEqual([]);
});

test("what a scrub rule leaves of a visitor distinguishes no one", () => {
  expect(visitorOf({ id: "[scrubbed]", ipAddress: "[scrubbed]" })).toBeUndefined();
  const user = { id: "[scrubbed]", email: "paula@mail.test", username: "[scrubbed]", name: "[scrubbed]" };
  expect([visitorOf(user), aliasesOf(user)]).toEqual([visitorHash("paula@mail.test"), []]);
});

test("a name alone distinguishes no visitor, and an address does only if nothing else is known", () => {
  expect([visitorOf({ name: "Paula" }), aliasesOf({ name: "Paula" })]).toEqual([undefined, []]);
  expect(visitorOf({ ipAddress: "192.0.2.7" })).toBe(visitorHash("192.0.2.7"));
  expect(visitorOf({ ipAddress: "{{auto}}" })).toBeUndefined();
});
