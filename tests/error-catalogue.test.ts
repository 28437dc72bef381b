import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HoldfastError } from "#errors";
import { describeErrors, readErrorLists } from "../scripts/error-catalogue.js";
import { root } from "../scripts/root.js";

describe("the error catalogue", () => {
  test("has every error of every part, each with a code of its own", async () => {
    const errors = describeErrors(await readErrorLists(join(root, "dist")));
    expect(errors.length).toBeGreaterThan(40);
    expect(new Set(errors.map(({ code }) => code)).size).toBe(errors.length);
    for (const { whatHappened, whatToDo } of errors) expect(`${whatHappened} ${whatToDo}`).toMatch(/^\S.*[.›]$/s);
  });

  test("names the values of an error where they stand in its sentence", () => {
    const raise = (path: unknown, count: unknown) =>
      new HoldfastError("x-code", `${path} has ${count} of them.`, "Use fewer.");
    expect(describeErrors([{ part: "x", raise }])).toEqual([
      { part: "x", code: "x-code", whatHappened: "‹path› has ‹count› of them.", whatToDo: "Use fewer." },
    ]);
  });
});
