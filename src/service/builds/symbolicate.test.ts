import { describe, expect, it } from "vitest";
import { type ReportedEvent, readEvent } from "#protocol";
import { groupEvent } from "../grouping/group-event.ts";
import { markInApp } from "../grouping/in-app.ts";
import { mapsPerEvent } from "./maps-per-event.ts";
import { createSymbolicate, type Symbolicate } from "./symbolicate.ts";

const debugId = "6f1c2a349b1e4c538a770123456789ab";

const source = [
  "import { sum } from './sum.ts';",
  "",
  "export function CartPage({ items }: Props) {",
  "  const total = cartTotal(items);",
  "  return <p>{total}</p>;",
  "}",
  "",
  "function cartTotal(items: Item[]) {",
  "  return items.map((item) => {",
  "    return item.price.amount;",
  "  });",
  "}",
];

describe("symbolicating", () => {
  it("gives a minified stack its TypeScript lines, names and source context", () => {
    const [outer, inner] = framesOf(
      symbolicateWith(mapOf({ inner: [10, 22], outer: [4, 16] }))(1, thrownIn("/_assets/cart-B1x2.js")),
    );
    expect(inner).toMatchObject({
      filename: "src/pages/cart.tsx",
      line: 10,
      column: 23,
      function: "cartTotal",
      contextLine: "    return item.price.amount;",
      preContext: source.slice(4, 9),
      postContext: source.slice(10),
    });
    expect(outer).toMatchObject({ line: 4, function: "CartPage" });
  });

  it("yields the same group before and after a rebuild that changes names, columns and the chunk", () => {
    const before = symbolicateWith(mapOf({ inner: [10, 22], outer: [4, 16] }))(
      1,
      thrownIn("/_assets/cart-B1x2.js", ["t", "n"]),
    );
    const after = symbolicateWith(mapOf({ inner: [10, 22], outer: [4, 16], columns: [700, 90] }))(
      1,
      thrownIn("/_assets/shop-Zz98yy77.js", ["e", "r"], [700, 90]),
    );
    expect(groupEvent(markInApp(before))[0].hash).toBe(groupEvent(markInApp(after))[0].hash);
  });

  it("never uses the map of another project", () => {
    const symbolicate = symbolicateWith(mapOf({ inner: [10, 22], outer: [4, 16] }));
    expect(framesOf(symbolicate(2, thrownIn("/_assets/cart-B1x2.js")))[1]).toMatchObject({
      filename: "/_assets/cart-B1x2.js",
      line: 1,
    });
  });

  it("opens a bounded number of maps for one event, each once, however many the event names", () => {
    const asked: string[] = [];
    const symbolicate = createSymbolicate({
      sourceMap: (_project, id) => {
        asked.push(id);
        return { kind: "absent" };
      },
    });
    const frames = Array.from({ length: 200 }, (_, at) => ({
      filename: `/_assets/${at % 100}.js`,
      lineno: 1,
      colno: 1,
      debug_id: String(at % 100).padStart(32, "0"),
    }));
    const event = readEvent({ exception: { values: [{ type: "Error", value: "x", stacktrace: { frames } }] } });
    if (event.kind !== "read") throw new Error(event.why);
    expect(framesOf(event.value).length).toBeGreaterThan(100);
    symbolicate(1, event.value);
    expect(asked.length).toBeLessThanOrEqual(mapsPerEvent);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it("marks frames of a library as not of the application", () => {
    const map = { ...mapOf({ inner: [10, 22], outer: [4, 16] }), sources: ["../node_modules/react-dom/client.js"] };
    const frames = framesOf(markInApp(symbolicateWith(map)(1, thrownIn("/_assets/cart-B1x2.js"))));
    expect(frames.map(({ inApp }) => inApp)).toEqual([false, false]);
  });

  it.each(["", "{", "[]", '{"version":3}'])("leaves the frames unchanged when the map is %j", (broken) => {
    const symbolicate = createSymbolicate({ sourceMap: () => ({ kind: "found", map: broken }) });
    const event = thrownIn("/_assets/cart-B1x2.js");
    expect(framesOf(symbolicate(1, event).event)).toEqual(framesOf(event));
  });

  it("returns the built files that an event names, and which of them had a map", () => {
    const map = mapOf({ inner: [10, 22], outer: [4, 16] });
    const file = "https://shop.test/_assets/cart-B1x2.js";
    const told = (project: number, event: ReportedEvent) => toldBy(map)(project, event).chunks;
    expect(told(1, thrownIn("/_assets/cart-B1x2.js"))).toEqual([{ debugId, file, mapped: true }]);
    expect(told(2, thrownIn("/_assets/cart-B1x2.js"))).toEqual([{ debugId, file, mapped: false }]);
    const nameless = { ...thrownIn("/_assets/cart-B1x2.js"), debugImages: [] };
    expect(told(1, nameless)).toEqual([{ debugId: undefined, file, mapped: false }]);
    const written = readEvent({ exception: { values: [{ stacktrace: { frames: [{ filename: "src/cart.ts" }] } }] } });
    expect(written.kind === "read" && told(1, written.value)).toEqual([]);
  });
});

/** Decoded mappings `[column, source, line, column]`, zero-based, on one generated line. */
function mapOf(places: { inner: [number, number]; outer: [number, number]; columns?: [number, number] }): object {
  const [innerColumn, outerColumn] = places.columns ?? [100, 200];
  const segments = [
    [innerColumn, 0, places.inner[0] - 1, places.inner[1]],
    [outerColumn, 0, places.outer[0] - 1, places.outer[1]],
  ].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
  return {
    version: 3,
    sources: ["../../src/pages/cart.tsx"],
    sourcesContent: [source.join("\n")],
    names: [],
    mappings: [segments],
  };
}

function symbolicateWith(map: object): (project: number, event: ReportedEvent) => ReportedEvent {
  const symbolicate = toldBy(map);
  return (project, event) => symbolicate(project, event).event;
}

function toldBy(map: object): Symbolicate {
  return createSymbolicate({
    sourceMap: (project, id) =>
      project === 1 && id === debugId ? { kind: "found", map: JSON.stringify(map) } : { kind: "absent" },
  });
}

function thrownIn(file: string, names = ["t", "n"], columns = [100, 200]): ReportedEvent {
  const frames = [
    {
      filename: file,
      abs_path: `https://shop.test${file}`,
      function: names[1],
      lineno: 1,
      colno: (columns[1] ?? 0) + 1,
      in_app: true,
    },
    {
      filename: file,
      abs_path: `https://shop.test${file}`,
      function: names[0],
      lineno: 1,
      colno: (columns[0] ?? 0) + 1,
      in_app: true,
    },
  ];
  const reading = readEvent({
    exception: { values: [{ type: "TypeError", value: "x", stacktrace: { frames } }] },
    debug_meta: { images: [{ type: "sourcemap", code_file: `https://shop.test${file}`, debug_id: debugId }] },
  });
  if (reading.kind !== "read") throw new Error(reading.why);
  return reading.value;
}

function framesOf(event: ReportedEvent) {
  return event.exceptions[0]?.frames ?? [];
}
