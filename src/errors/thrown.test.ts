import { expect, test } from "vitest";
import { messageOf } from "./thrown.ts";

test("anything that was thrown has a message", () => {
  expect(messageOf(new TypeError("no cart"))).toBe("no cart");
  expect(messageOf("no cart")).toBe("no cart");
  expect(messageOf(undefined)).toBe("undefined");
});

test("an error of several attempts has the messages of all", () => {
  const attempts = [new Error("connect ECONNREFUSED ::1:5432"), new Error("connect ECONNREFUSED 127.0.0.1:5432")];
  expect(messageOf(new AggregateError(attempts))).toBe(
    "connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432",
  );
  expect(messageOf(new AggregateError(attempts, "all failed"))).toBe("all failed");
});
