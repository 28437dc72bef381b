import { describe, expect, it } from "vitest";
import { readStackText } from "./read-stack-text.ts";

describe("a stack in text form", () => {
  it("is read from JavaScript", () => {
    const text = `TypeError: x is undefined
    at cartTotal (/app/src/cart.js:12:7)
    at async Shop.pay (file:///app/src/shop.mjs:3:1)
    at node:internal/process/task_queues:95:5
    at https://shop.test/assets/a.js:1:200
    at new Promise (<anonymous>)`;
    expect(readStackText(text)).toEqual([
      { filename: "https://shop.test/assets/a.js", lineno: 1, colno: 200 },
      { filename: "node:internal/process/task_queues", lineno: 95, colno: 5 },
      { function: "async Shop.pay", filename: "/app/src/shop.mjs", lineno: 3, colno: 1 },
      { function: "cartTotal", filename: "/app/src/cart.js", lineno: 12, colno: 7 },
    ]);
  });

  it("is read from Python, with its source lines, and from a chain only the thrown part", () => {
    const text = `Traceback (most recent call last):
  File "/app/db.py", line 3, in connect
    raise OSError("refused")
OSError: refused

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/main.py", line 9, in <module>
    load(7)
  File "/app/orders.py", line 4, in load
    raise ValueError("no order") from error
ValueError: no order`;
    expect(readStackText(text)).toEqual([
      { filename: "/app/main.py", lineno: 9, function: "<module>", context_line: "load(7)" },
      {
        filename: "/app/orders.py",
        lineno: 4,
        function: "load",
        context_line: 'raise ValueError("no order") from error',
      },
    ]);
  });

  it("is read from Java up to its cause", () => {
    const text = `java.lang.IllegalStateException: no order
\tat com.shop.Orders.load(Orders.java:44)
\tat java.base/java.lang.Thread.run(Thread.java:829)
\tat com.shop.Native.call(Native Method)
Caused by: java.sql.SQLException: refused
\tat com.shop.Db.connect(Db.java:12)
\t... 2 more`;
    expect(readStackText(text)).toEqual([
      { module: "com.shop.Native", function: "call", filename: "Native Method" },
      { module: "java.lang.Thread", function: "run", filename: "Thread.java", lineno: 829 },
      { module: "com.shop.Orders", function: "load", filename: "Orders.java", lineno: 44 },
    ]);
  });

  it("is read from .NET, Ruby, PHP and Go", () => {
    expect(
      readStackText(`System.Exception: no order
   at Shop.Orders.Load(String id) in /src/Shop/Orders.cs:line 12
   at System.Threading.Tasks.Task.Execute()`),
    ).toEqual([
      { function: "System.Threading.Tasks.Task.Execute()" },
      { function: "Shop.Orders.Load(String id)", filename: "/src/Shop/Orders.cs", lineno: 12 },
    ]);
    expect(readStackText("app/orders.rb:3:in `load'\nfrom app/main.rb:9:in '<main>'")).toEqual([
      { function: "<main>", filename: "app/main.rb", lineno: 9 },
      { function: "load", filename: "app/orders.rb", lineno: 3 },
    ]);
    expect(readStackText("#0 /app/src/Orders.php(12): Shop\\Orders->load('7')\n#1 {main}")).toEqual([
      { function: "Shop\\Orders->load", filename: "/app/src/Orders.php", lineno: 12 },
    ]);
    expect(
      readStackText(
        "goroutine 1 [running]:\ngithub.com/shop/db.(*Db).Load(0xc00)\n\t/app/db/db.go:12 +0x1d\nmain.main()\n\t/app/main.go:7 +0x20",
      ),
    ).toEqual([
      { module: "main", function: "main", filename: "/app/main.go", lineno: 7 },
      { module: "github.com/shop/db", function: "(*Db).Load", filename: "/app/db/db.go", lineno: 12 },
    ]);
  });

  it("is empty for an unknown format, and long nonsense costs little", () => {
    expect(readStackText("")).toEqual([]);
    expect(readStackText("something went wrong\nsomewhere")).toEqual([]);
    for (const part of ["at (", "at a.b.", "#1 (", "x.y:1:in `", "a/"]) readStackText(part.repeat(100_000));
    for (const part of ["at (", "at a.b.", "#1 (", "x.y:1:in `", "a/"])
      readStackText(`${part.repeat(90)}\n`.repeat(500));
  });
});
