import { describe, expect, test } from "vitest";
import { createScrub } from "../scrub/scrub.ts";
import { createLogPaths } from "./log-paths.ts";

const { isSecretName } = createScrub({ rules: ["nickname"] });
const paths = createLogPaths(isSecretName, ["/_holdfast/welcome/[secret]"]);
paths.learnRoutes(["/", "/orders/[id]", "/reset/[token]", "/invites/[id]", "/people/[nickname]", "/verify/email"]);

describe("a path in a log", () => {
  test.each([
    ["by the name of its parameter", "/reset/abc", "/reset/[left-out]"],
    ["as page data", "/reset/abc/_data", "/reset/[left-out]/_data"],
    ["as an action", "/reset/abc/_action/save", "/reset/[left-out]/_action/save"],
    ["by the word before it, whatever the parameter is called", "/invites/7", "/invites/[left-out]"],
    ["by a rule of the application's own", "/people/ada", "/people/[left-out]"],
    ["of the console", "/_holdfast/welcome/abc", "/_holdfast/welcome/[left-out]"],
    ["in another spelling", "/r%65set/abc", "/reset/[left-out]"],
    ["with a slash too many", "//reset/abc", "/reset/[left-out]"],
    ["at an address that no route answers", "/old/reset-password/k3j4h5k3j4h5k3j4", "/old/reset-password/[left-out]"],
  ])("is without a secret %s", (_, path, logged) => {
    expect(paths.clean(path)).toBe(logged);
  });

  test.each([
    "/",
    "/orders/7",
    "/orders/0190a5f4-5c1e-7c3b-9d2f-1a2b3c4d5e6f",
    "/verify/email",
    "/_assets/later-4f3a9b2c1d.js",
    "/_holdfast/1/events/0123456789abcdef0123456789abcdef",
    "/%E0%A4%A",
    "/a%20b",
    "/resets/abc",
  ])("stays as it is where it has none: %s", (path) => {
    expect(paths.clean(path)).toBe(path);
  });

  test("costs no more if it is long and almost matches", () => {
    const long = `/${"reset-".repeat(2_000)}/${"a".repeat(4_000)}`;
    expect(paths.clean(long)).toBe(long);
  });
});
