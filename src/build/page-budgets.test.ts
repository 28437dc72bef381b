import { describe, expect, it } from "vitest";
import { budgetOf, findBudget } from "./page-budgets.ts";

const read = (code: string) => {
  const declared = findBudget("page.server.ts", code);
  return declared && budgetOf("page.server.ts", declared);
};

describe("the budget of a page", () => {
  it("is read from its server file without running it, whatever else the file contains", () => {
    expect(
      read(`import { load, type PageBudget } from "holdfast/server";
        export const data = load(() => ({}));
        export const budget = { firstLoadBytes: 100_000, lcpMs: 2.5e3, cls: 0.1 } satisfies PageBudget;`),
    ).toEqual({ firstLoadBytes: 100_000, lcpMs: 2_500, cls: 0.1 });
    expect(read("export const budget: PageBudget = { inpMs: 200 };")).toEqual({ inpMs: 200 });
    expect(read("export const budget = { inpMs: 200 } as const;")).toEqual({ inpMs: 200 });
    expect(read("const budget = { inpMs: 200 }; export const other = budget;")).toBeUndefined();
  });

  it("is refused if it cannot be checked, with the wrong name", () => {
    for (const [code, why] of [
      ["{ lcp: 2_500 }", "has lcp, which is not measured"],
      ["{ lcpMs: slow }", "has lcpMs, but not as a plain number above 0"],
      ["{ lcpMs: '2500' }", "has lcpMs, but not"],
      ["{ lcpMs: 0 }", "has lcpMs, but not"],
      ["{ ...others }", "something other than names with numbers"],
      ["{ ['lcpMs']: 1 }", "something other than names with numbers"],
      ["budgets.home", "is not written as an object"],
    ] as const)
      expect(() => read(`export const budget = ${code};`), code).toThrow(why);
  });
});
