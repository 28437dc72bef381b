import { describe, expect, it } from "vitest";
import { enclosingFunction } from "./enclosing-function.ts";

describe("the function that encloses a line", () => {
  it.each([
    ["async function loadCart(id: string) {", "loadCart"],
    ["export const data = load(async ({ params }) => {", "data"],
    ["const total = (items: Item[]): number => {", "total"],
    ["  async submit(form: FormData): Promise<void> {", "submit"],
    ["  onClick: (event) => {", "onClick"],
    ["export default function CartPage() {", "CartPage"],
    ["const pay = useCallback(async () => {", "pay"],
    ["export const Row = React.memo<RowProps>(({ price = free() }) => {", "Row"],
    ["const sort = (", "sort"],
    ["const half = async ({ of = whole() }: Part): Promise<Part> => {", "half"],
  ])("%s → %s", (head, name) => {
    const indent = " ".repeat(head.length - head.trimStart().length + 2);
    expect(enclosingFunction([head, `${indent}if (x) {`, `${indent}  fail();`, `${indent}}`], 3)).toBe(name);
  });

  it("is the outer one for a line that only passes functions on", () => {
    const lines = [
      "export function cartTotal(items?: Item[]): number {",
      "  const prices = (items as Item[]).map(({ price }) => price);",
      "  const sum = add(prices, (a, b) => a + b);",
    ];
    expect([enclosingFunction(lines, 2), enclosingFunction(lines, 3)]).toEqual(["cartTotal", "cartTotal"]);
  });

  it("is undefined at the top of a file, and for a line that does not exist", () => {
    expect(enclosingFunction(["import x from 'y';", "fail();"], 2)).toBeUndefined();
    expect(enclosingFunction([], 7)).toBeUndefined();
  });
});
