import { expect, it } from "vitest";
import { environmentIn, withEnvironment } from "./own-choices.ts";

it("the environment of an address wins over the chosen one, and an empty one is all of them", () => {
  const cookies = { get: () => "staging" };
  expect(environmentIn(new URLSearchParams(), cookies)).toBe("staging");
  expect(environmentIn(new URLSearchParams("environment=production"), cookies)).toBe("production");
  expect(environmentIn(new URLSearchParams("environment="), cookies)).toBeUndefined();
  expect(environmentIn(new URLSearchParams(), { get: () => undefined })).toBeUndefined();
  expect(environmentIn(new URLSearchParams({ environment: "x".repeat(65) }), cookies)).toBeUndefined();
});

it("an environment is added to a filter that names none", () => {
  expect(withEnvironment("cart", "my staging")).toBe('cart environment:"my staging"');
  expect(withEnvironment("cart env:production", "staging")).toBe("cart env:production");
  expect(withEnvironment("cart -environment:dev", "staging")).toBe("cart -environment:dev");
  expect(withEnvironment("cart", undefined)).toBe("cart");
});
