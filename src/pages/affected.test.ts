import { describe, expect, it } from "vitest";
import { isAffected } from "./affected.ts";
import { changed, firstPage, spared } from "./browser/data/page-freshness.ts";

describe("a page that says what it depends on", () => {
  const depends = ["orders", "order:7", "/orders/7"];

  it.each([
    [["orders"], true],
    [["customers", "order:7"], true],
    [["order:8", "order"], false],
    [["/orders/7"], true],
    [["/orders"], true],
    [["/"], true],
    [["/orders/7/items", "/order", "/customers"], false],
    [[], false],
  ])("is affected by %j: %s", (names, expected) => {
    expect(isAffected(depends, names)).toBe(expected);
  });

  it("a page that says nothing is affected by everything, and so is each page by a change without names", () => {
    expect([isAffected(undefined, ["orders"]), isAffected(depends, undefined)]).toEqual([true, true]);
  });

  it("a page that is spared by a change is as current as before, and one in doubt stays in doubt", () => {
    const current = spared(changed(firstPage), firstPage.changed);
    expect(current.asOf >= current.changed).toBe(true);
    const doubtful = changed(firstPage);
    const still = spared(changed(doubtful), doubtful.changed);
    expect(still.asOf < still.changed).toBe(true);
  });
});
