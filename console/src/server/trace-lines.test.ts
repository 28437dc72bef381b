import { describe, expect, it } from "vitest";
import { keepWithParents } from "./trace-lines.ts";

const tree = [
  [0, "root"],
  [1, "load"],
  [2, "query one"],
  [2, "query two"],
  [1, "render"],
  [2, "template"],
] as const;
const lines = tree.map(([depth, name]) => ({ depth, span: { name } }));
const names = (filter: string) => keepWithParents(lines, filter).map(({ span }) => span.name);

describe("a filtered waterfall", () => {
  it("keeps the ancestors of a line, and nothing beside them", () => {
    expect(names("two")).toEqual(["root", "load", "query two"]);
    expect(names("TEMPLATE")).toEqual(["root", "render", "template"]);
    expect(names("load")).toEqual(["root", "load"]);
  });

  it("is whole without a filter and empty without a match", () => {
    expect(names("")).toHaveLength(tree.length);
    expect(names("nothing")).toEqual([]);
  });
});
