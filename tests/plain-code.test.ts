import { describe, expect, test } from "vitest";
import { root } from "../scripts/root.js";
import { readPlainCode } from "./walls/plain-code.ts";

/** Each number may only fall: it is what is left to rewrite. */
describe("the code reads plainly", () => {
  const found = readPlainCode(root);

  test("comment lines end at 120 columns", () => {
    expect(found.longComments.length, found.longComments.join("\n")).toBe(0);
  });

  test("an exported name is defined once", () => {
    expect(found.namesDefinedTwice.length, found.namesDefinedTwice.join("\n")).toBe(0);
  });

  test("a function has at most four parameters", () => {
    expect(found.manyParameters.length, found.manyParameters.join("\n")).toBeLessThanOrEqual(25);
  });

  test("an object that a request creates has no getter of its own", () => {
    expect(found.getterLiterals).toEqual([]);
  });

  test("the name of a test begins with its subject", () => {
    expect(found.fragments.length, found.fragments.join("\n")).toBe(0);
  });

  test("comments use everyday words", () => {
    expect(found.heavyWords.length, found.heavyWords.join("\n")).toBeLessThan(60);
  });
});
