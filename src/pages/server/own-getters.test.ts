import { expect, test } from "vitest";
import { OwnGetters } from "./own-getters.ts";

test("a copy of an object has what its own getters return, and nothing is read before", () => {
  let reads = 0;
  class Request {
    readonly path = "/";
    get cookies(): string {
      reads += 1;
      return "a=1";
    }
  }
  const request = new OwnGetters(Request.prototype).defineOn(new Request());
  const before = reads;
  expect([before, { ...request }, reads]).toEqual([0, { path: "/", cookies: "a=1" }, 1]);
});
