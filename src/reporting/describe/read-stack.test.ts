import { describe, expect, test } from "vitest";
import { readStack } from "./read-stack.ts";

describe("a stack", () => {
  test("a stack is read as V8 writes it, the outermost call first", () => {
    const stack = `TypeError: no id
    at load (file:///app/dist/server/orders.js:10:5)
    at async Promise.all (index 0)
    at async step (/app/node_modules/holdfast/dist/x.js:3:1)
    at new Order (webpack:///src/order.ts:1:2)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at /app/plain.js:7:9
    at Array.map (<anonymous>)`;
    expect(readStack(stack, 50)).toEqual([
      { filename: "<anonymous>", function: "Array.map", in_app: false },
      { filename: "/app/plain.js", function: "?", lineno: 7, colno: 9, in_app: true },
      {
        filename: "node:internal/process/task_queues",
        function: "process.processTicksAndRejections",
        lineno: 105,
        colno: 5,
        in_app: false,
      },
      { filename: "webpack:///src/order.ts", function: "new Order", lineno: 1, colno: 2, in_app: true },
      { filename: "/app/node_modules/holdfast/dist/x.js", function: "step", lineno: 3, colno: 1, in_app: false },
      { filename: "/app/dist/server/orders.js", function: "load", lineno: 10, colno: 5, in_app: true },
    ]);
  });

  test("a stack is read as Firefox writes it", () => {
    const stack = `load@https://shop.example/_assets/orders-1.js:10:5
onClick/<@https://shop.example/_assets/entry-2.js:1:700
@https://shop.example/:3:1
`;
    expect(readStack(stack, 50)).toEqual([
      { filename: "https://shop.example/", function: "?", lineno: 3, colno: 1, in_app: true },
      {
        filename: "https://shop.example/_assets/entry-2.js",
        function: "onClick/<",
        lineno: 1,
        colno: 700,
        in_app: true,
      },
      { filename: "https://shop.example/_assets/orders-1.js", function: "load", lineno: 10, colno: 5, in_app: true },
    ]);
  });

  test("a stack is read as Safari writes it", () => {
    const stack = `load@https://shop.example/_assets/orders-1.js:10:5
map@[native code]
https://shop.example/_assets/entry-2.js:1:700`;
    expect(readStack(stack, 50).map(({ filename, lineno }) => [filename, lineno])).toEqual([
      ["https://shop.example/_assets/entry-2.js", 1],
      ["[native code]", undefined],
      ["https://shop.example/_assets/orders-1.js", 10],
    ]);
  });

  test("a stack is read up to a limit, keeping the innermost calls", () => {
    const stack = `RangeError: too deep\n${Array.from({ length: 500 }, (_, at) => `    at f${at} (/a.js:1:1)`).join("\n")}`;
    const frames = readStack(stack, 50);
    expect(frames).toHaveLength(50);
    expect(frames.at(-1)?.function).toBe("f0");
  });

  test("any stack is read quickly, whatever it contains", () => {
    const nasty = [`at ${"(".repeat(50_000)}`, "a@".repeat(500), `at ${" (".repeat(400)}`, "@".repeat(1_000)].join(
      "\n",
    );
    expect(readStack(nasty, 50).length).toBeLessThan(5);
  });
});
