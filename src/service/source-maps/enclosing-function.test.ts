import { describe, expect, it } from "vitest";
import { enclosingFunction } from "./enclosing-function.ts";

describe("the function a line lies in", () => {
  it.each([
    ["async function loadCart(id: string) {", "loadCart"],
    ["export const data = load(async ({ params }) => {", "data"],
    ["const total = (items: Item[]): number => {", "total"],
    ["  async submit(form: FormData): Promise<void> {", "submit"],
    ["  onClick: (event) => {", "onClick"],
    ["export default function CartPage() {", "CartPage"],
  ])("%s → %s", (head, name) => {
    const indent = " ".repeat(head.length - head.trimStart().length + 2);
    expect(enclosingFunction([head, `${indent}if (x) {`, `${indent}  fail();`, `${indent}}`], 3)).toBe(name);
  });

  it("is none at the top of a file, and none for a line that is not there", () => {
    expect(enclosingFunction(["import x from 'y';", "fail();"], 2)).toBeUndefined();
    expect(enclosingFunction([], 7)).toBeUndefined();
  });
});
