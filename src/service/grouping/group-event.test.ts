import { describe, expect, it } from "vitest";
import { type ReportedEvent, readEvent } from "#protocol";
import { groupEvent } from "./group-event.ts";
import { markInApp } from "./in-app.ts";
import { exceptionTree, relationText } from "./main-exception.ts";
import { titleOf } from "./title.ts";

describe("grouping", () => {
  it("groups the same failure with other numbers into one issue", () => {
    expect(hashOf(thrown("Error", "Order 4711 is gone"))).toBe(hashOf(thrown("Error", "Order 4712 is gone")));
  });

  it("keeps an issue together across a rebuild that changes chunk names, columns and lines", () => {
    const before = thrown("TypeError", "x is undefined", [
      frame({ filename: "/_assets/cart-B1x2c3d4.js", function: "cartTotal", lineno: 1, colno: 2011 }),
    ]);
    const after = thrown("TypeError", "x is undefined", [
      frame({ filename: "/_assets/cart-Zz98yy77.js", function: "cartTotal", lineno: 1, colno: 17 }),
    ]);
    expect(hashOf(before)).toBe(hashOf(after));
  });

  it("prefers the source line to a name, so that minified names do not matter", () => {
    const mapped = (name: string) => [
      frame({ filename: "src/cart.ts", function: name, lineno: 7, context_line: "  return items.reduce(sum);" }),
    ];
    expect(hashOf(thrown("TypeError", "a", mapped("t")))).toBe(hashOf(thrown("TypeError", "a", mapped("n"))));
  });

  it("separates two errors of one type by the place where the application threw them", () => {
    const at = (name: string) => thrown("TypeError", "same text", [frame({ filename: "src/a.ts", function: name })]);
    expect(hashOf(at("loadCart"))).not.toBe(hashOf(at("loadOrder")));
  });

  it("separates files of one name in different folders, but not the folders of two deploys", () => {
    const at = (filename: string) =>
      hashOf(thrown("Error", "x", [frame({ filename, function: "load", context_line: "throw new Error(x);" })]));
    expect(at("src/pages/cart/index.server.ts")).not.toBe(at("src/pages/orders/index.server.ts"));
    expect(at("/srv/a/src/cart/index.ts")).toBe(at("/home/b/src/cart/index.ts"));
    expect(at("/srv/releases/20261115/app.js")).toBe(at("/srv/releases/20261116/app.js"));
    expect(at("./app.js")).toBe(at("app.js"));
  });

  it("recognises the hashes of built files, also those without a digit", () => {
    const at = (name: string) =>
      hashOf(thrown("Error", "x", [frame({ filename: `https://x.test/${name}`, function: "pay" })]));
    expect(at("a/cart-BxKcLdQw.js")).toBe(at("b/cart-ZzTyQxPw.js"));
    expect(at("main.3f2a1b9c.chunk.js")).toBe(at("main.99aa1b9c.chunk.js"));
    expect(at("cart-page.js")).not.toBe(at("order-page.js"));
  });

  it("compares recursion and collected errors by kind, not by number", () => {
    const deep = (calls: number) =>
      thrown(
        "RangeError",
        "x",
        Array.from({ length: calls }, (_, index) => frame({ function: index % 2 ? "ping" : "pong" })),
      );
    expect(hashOf(deep(20))).toBe(hashOf(deep(120)));
    const collected = (errors: number) => ({
      ...thrown("AggregateError", "all failed", [frame({ function: "askAll" })]),
      exceptions: [
        ...Array.from({ length: errors }, (_, index) => ({
          type: "Error",
          value: `mirror ${index} is down`,
          frames: [],
        })),
        ...thrown("AggregateError", "all failed", [frame({ function: "askAll" })]).exceptions,
      ],
    });
    expect(hashOf(collected(2))).toBe(hashOf(collected(3)));
  });

  it("compares the application's frames and not the library's below them", () => {
    const library = (version: string) =>
      frame({ filename: `node_modules/pg/lib/${version}.js`, function: `internal${version}` });
    const own = frame({ filename: "src/orders.ts", function: "findOrder" });
    expect(hashOf(thrown("Error", "x", [own, library("one")]))).toBe(
      hashOf(thrown("Error", "x", [own, library("two")])),
    );
  });

  it("treats engine frames as foreign, and ignores what engines add to names", () => {
    const own = frame({ filename: "https://x.test/cart.js", function: "pay" });
    const native = frame({ filename: "[native code]", function: "forEach" });
    const hosted = frame({ filename: "self-hosted", function: "forEach" });
    const event = thrown("Error", "x", [own, native]);
    expect(event.exceptions[0]?.frames.map(({ inApp }) => inApp)).toEqual([true, false]);
    expect(hashOf(event)).toBe(hashOf(thrown("Error", "x", [own])));
    expect(hashOf(thrown("Error", "x", [own, hosted]))).toBe(hashOf(thrown("Error", "x", [own])));
    expect(titleOf(thrown("Error", "x", [native])).culprit).toBe("[native code] forEach");
  });

  it("separates errors of libraries alone by their texts and places", () => {
    const library = (name: string) => frame({ filename: `node_modules/pg/lib/${name}.js`, function: name });
    const failed = (text: string, ...names: string[]) => thrown("DatabaseError", text, names.map(library));
    const refused = failed('relation "orders" does not exist', "socket", "parse", "raise");
    expect(hashOf(refused)).toBe(hashOf(failed('relation "orders" does not exist', "pool", "idle", "parse", "raise")));
    expect(hashOf(refused)).not.toBe(hashOf(failed("duplicate key", "socket", "parse", "raise")));
    expect(groupEvent(refused)[0].reason).toEqual({
      rule: "library",
      parts: ["DatabaseError", 'relation "orders" does not exist', "lib/raise.js raise"],
    });
  });

  it("compares only the place if a library's error caused one of the application", () => {
    const cause = (text: string) =>
      eventFrom({
        exception: {
          values: [
            {
              type: "PgError",
              value: text,
              stacktrace: { frames: [frame({ filename: "node_modules/pg/a.js", function: "raise" })] },
            },
            { type: "OrderError", value: "x", stacktrace: { frames: [frame({ function: "findOrder" })] } },
          ],
        },
      });
    expect(hashOf(cause("one text"))).toBe(hashOf(cause("another")));
  });

  it("keeps collected errors in their tree", () => {
    const one = (type: string, id: number, parent?: number, source?: string) => ({
      type,
      mechanism: { exception_id: id, parent_id: parent, source, is_exception_group: type.endsWith("Group") },
    });
    const event = eventFrom({
      platform: "python",
      exception: {
        values: [
          one("KeyError", 5, 4, "__context__"),
          one("OSError", 4, 2, "exceptions[1]"),
          one("ValueError", 3, 2, "exceptions[0]"),
          one("InnerGroup", 2, 0, "exceptions[1]"),
          one("TypeError", 1, 0, "exceptions[0]"),
          one("OuterGroup", 0),
        ],
      },
    });
    const written = exceptionTree(event).map(
      (placed) => "  ".repeat(placed.depth) + relationText(placed) + placed.exception.type,
    );
    expect(written).toEqual([
      "OuterGroup",
      "  1 of the group: TypeError",
      "  2 of the group: InnerGroup",
      "    1 of the group: ValueError",
      "    2 of the group: OSError",
      "    While handling KeyError",
    ]);
  });

  it("lists every exception of a tree once, whatever ids it has", () => {
    const tree = (...ids: [number, number?][]) => {
      const values = ids.map(([id, parent]) => ({ type: "E", mechanism: { exception_id: id, parent_id: parent } }));
      return exceptionTree(eventFrom({ exception: { values } }));
    };
    expect(tree([0, 0], [1, 2], [2, 1])).toHaveLength(3);
    expect(tree([0], [0], [0])).toHaveLength(3);
    expect(tree([7, 99], [8, 7])).toHaveLength(2);
    const chain = exceptionTree(eventFrom({ exception: { values: [{ type: "A" }, { type: "B" }, { type: "C" }] } }));
    expect(chain.map(({ exception, relation, depth }) => [exception.type, relation, depth])).toEqual([
      ["C", "thrown", 0],
      ["B", "cause", 0],
      ["A", "cause", 0],
    ]);
  });

  it("shows the culprit of an old client, and does not use it as a route", () => {
    const event = eventFrom({ message: "x", culprit: "app.views in checkout" });
    expect(event.transaction).toBeUndefined();
    expect(titleOf(event).culprit).toBe("app.views in checkout");
  });

  it("compares type and text if there are only minified names", () => {
    const grouping = groupEvent(thrown("Error", "Order 4711", [frame({ filename: "/a.js", function: "t" })]));
    expect(grouping[0].reason.rule).toBe("type-and-text");
    expect(grouping[0].reason.parts).toEqual(["Error", "Order <number>"]);
  });

  it("separates one wrapper around different causes", () => {
    const wrapped = (cause: string) =>
      eventFrom({
        exception: {
          values: [
            { type: cause, value: "root", mechanism: { exception_id: 1, parent_id: 0, type: "chained" } },
            { type: "LoadError", value: "page failed", mechanism: { exception_id: 0, type: "generic" } },
          ],
        },
      });
    expect(hashOf(wrapped("PgError"))).not.toBe(hashOf(wrapped("FetchError")));
    expect(titleOf(wrapped("PgError"))).toMatchObject({ type: "LoadError", text: "page failed" });
  });

  it("keeps messages as messages, although clients send them as exceptions", () => {
    const message = (text: string, caller: string) =>
      eventFrom({
        message: text,
        exception: {
          values: [
            { value: text, mechanism: { synthetic: true }, stacktrace: { frames: [frame({ function: caller })] } },
          ],
        },
      });
    expect(hashOf(message("import of 12 rows", "importRows"))).toBe(
      hashOf(message("import of 90 rows", "retryImport")),
    );
    expect(hashOf(message("import of 12 rows", "run"))).not.toBe(hashOf(message("export of 12 rows", "run")));
    expect(titleOf(message("import of 12 rows", "run"))).toMatchObject({ type: undefined, text: "import of 12 rows" });
  });

  it("prefers the template of a message to its text", () => {
    const message = (name: string) =>
      eventFrom({ logentry: { message: "hello %s", formatted: `hello ${name}`, params: [name] } });
    expect(hashOf(message("Ann"))).toBe(hashOf(message("Bo")));
  });

  it("applies a custom fingerprint, alone or added to the default", () => {
    const custom = (fingerprint: string[], text: string) => ({ ...thrown("Error", text), fingerprint });
    expect(hashOf(custom(["payment"], "a"))).toBe(hashOf(custom(["payment"], "b")));
    expect(hashOf(custom(["{{ default }}", "eu"], "a"))).not.toBe(hashOf(custom(["{{ default }}", "us"], "a")));
    expect(hashOf(custom(["{{ default }}"], "a"))).toBe(hashOf(thrown("Error", "a")));
    expect(groupEvent(custom(["{{ error.type }}!"], "a"))[0].reason.parts).toEqual(["Error!"]);
  });

  it("compares the permanent code of the framework's own errors", () => {
    const at = (path: string) =>
      thrown("HoldfastError", `Both ${path} and b answer /x. Rename one. [two-pages-for-one-path]`);
    expect(groupEvent(at("a"))[0].reason).toEqual({
      rule: "error-code",
      parts: ["HoldfastError", "two-pages-for-one-path"],
    });
  });

  it("separates functions of compiled languages by their whole names, however short", () => {
    const at = (platform: string, fields: object) =>
      hashOf({ ...thrown("E", "same", [frame({ filename: undefined, ...fields })]), platform });
    const goClosure = (name: string) => at("go", { module: "main", function: name });
    expect(goClosure("(*Server).handle.func1")).not.toBe(goClosure("(*Worker).run.func1"));
    const elixir = (name: string) => at("elixir", { module: "Elixir.Shop.Cart", function: name });
    expect(elixir("Shop.Cart.total/1")).not.toBe(elixir("Shop.Cart.add/2"));
    const java = (name: string) => at("java", { module: "com.shop.Db", function: name });
    expect(java("go")).not.toBe(java("up"));
    expect(java("<init>")).not.toBe(java("<clinit>"));
  });

  it("keeps an issue together if a compiler renumbers its lambdas, or an assembly gets a new version", () => {
    const at = (platform: string, fields: object) =>
      hashOf({ ...thrown("E", "same", [frame({ filename: undefined, ...fields })]), platform });
    const java = (name: string, proxy: string) =>
      at("java", { module: `com.shop.Orders$$EnhancerBySpringCGLIB$$${proxy}`, function: name });
    expect(java("lambda$show$3", "1a2b")).toBe(java("lambda$show$4", "9f8e"));
    const dotnet = (version: string) =>
      at("csharp", { package: `Shop, Version=${version}, Culture=neutral`, function: "<Main>b__0_1" });
    expect(dotnet("1.0.0.0")).toBe(dotnet("1.0.1.0"));
    const built = (folder: string) => at("csharp", { filename: `${folder}\\Cart.cs`, function: "Cart.Pay" });
    expect(built("C:\\agent\\1\\Shop")).toBe(built("D:\\Shop"));
    const native = (address: string) =>
      at("native", { package: "/data/app/lib/libshop.so", instruction_addr: address });
    expect(native("0x7b10")).toBe(native("0x9c20"));
  });

  it("recognises libraries by their path if the client does not mark them", () => {
    const own = { module: "com.shop.Orders", function: "load" };
    const event = { ...thrown("E", "x", [own, { module: "java.util.Objects", function: "requireNonNull" }]) };
    expect(markInApp({ ...event, platform: "java" }).exceptions[0]?.frames.map(({ inApp }) => inApp)).toEqual([
      true,
      false,
    ]);
    expect(titleOf(event).culprit).toBe("com.shop.Orders load");
    const python = { filename: "__init__.py", abs_path: "/usr/lib/python3.11/logging/__init__.py", in_app: true };
    expect(thrown("E", "x", [python]).exceptions[0]?.frames[0]?.inApp).toBe(false);
    const files = [
      "/usr/lib/python3/dist-packages/django/core.py",
      "/app/vendor/symfony/Kernel.php",
      "/srv/sentry-demo/app.js",
    ];
    const [frames] = thrown(
      "E",
      "x",
      files.map((filename) => ({ filename, function: "run" })),
    ).exceptions;
    expect(frames?.frames.map(({ inApp }) => inApp)).toEqual([false, false, true]);
  });

  it("titles an error of Go by the returned error, although its client names the deepest cause first", () => {
    const event = eventFrom({
      platform: "go",
      exception: [
        { type: "*errors.errorString", value: "refused", mechanism: { exception_id: 0, is_exception_group: true } },
        { type: "*fmt.wrapError", value: "load: refused", mechanism: { exception_id: 1, parent_id: 0 } },
      ],
    });
    expect(titleOf(event)).toMatchObject({ type: "*fmt.wrapError", text: "load: refused" });
  });

  it("returns the fingerprints of older versions, newest first", () => {
    const reasonOf = () => ({ rule: "place" as const, parts: [] });
    const grouping = groupEvent(thrown("Error", "a"), [
      { version: 2, reasonOf },
      { version: 1, reasonOf },
    ]);
    expect(grouping.map(({ version }) => version)).toEqual([2, 1]);
    expect(grouping[0].hash).not.toBe(grouping[1]?.hash);
  });

  it("accepts an event without any content", () => {
    expect(groupEvent(eventFrom({}))[0].reason.rule).toBe("place");
    expect(titleOf(eventFrom({}))).toEqual({ type: undefined, text: "(no message)", culprit: undefined });
  });
});

function hashOf(event: ReportedEvent): string {
  return groupEvent(event)[0].hash;
}

function thrown(type: string, value: string, frames: readonly object[] = []): ReportedEvent {
  return eventFrom({ exception: { values: [{ type, value, stacktrace: { frames } }] } });
}

function frame(fields: object): object {
  return { filename: "src/page.ts", in_app: true, ...fields };
}

function eventFrom(payload: object): ReportedEvent {
  const reading = readEvent(payload);
  if (reading.kind !== "read") throw new Error(reading.why);
  return markInApp(reading.value);
}
