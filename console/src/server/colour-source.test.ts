import { describe, expect, it } from "vitest";
import { colourLines } from "./colour-source.ts";

describe("the colours of source lines", () => {
  it("distinguish words, texts, numbers and comments", () => {
    expect(colourLines([`const total = sum("a // b", 12); // all`])).toEqual([
      [
        ["word", "const"],
        ["", " total = sum("],
        ["text", `"a // b"`],
        ["", ", "],
        ["number", "12"],
        ["", "); "],
        ["remark", "// all"],
      ],
    ]);
  });

  it("continue a comment that an earlier line opened, and one that began above", () => {
    const [above, open, inside, closed] = colourLines([" * of the cart.", "a /* one", "two", "three */ b"]);
    expect(above).toEqual([["remark", " * of the cart."]]);
    expect(open?.at(-1)).toEqual(["remark", "/* one"]);
    expect(inside).toEqual([["remark", "two"]]);
    expect(closed).toEqual([
      ["remark", "three */"],
      ["", " b"],
    ]);
  });

  it("keep every character of any line", () => {
    const lines = [
      `"never closed`,
      "`one",
      "two` + x",
      "€ ∀ <b>&amp;",
      "",
      "\u2028'",
      "/".repeat(50),
      "x".repeat(5_000),
    ];
    expect(colourLines(lines).map((tokens) => tokens.map(([, text]) => text).join(""))).toEqual(lines);
  });
});
