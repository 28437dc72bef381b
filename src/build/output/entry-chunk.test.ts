import { describe, expect, it } from "vitest";
import { browserEntry } from "../virtual-modules.ts";
import { chooseEntryModules } from "./entry-chunk.ts";

describe("the entry chunk", () => {
  it("contains the imports of the entry and small modules that pages share", () => {
    expect(
      chosenFrom({
        entry: { imports: ["react", "layout"], pages: ["home", "order"] },
        layout: { imports: ["react"] },
        home: { imports: ["money", "chart", "hero"] },
        order: { imports: ["money", "chart"] },
        money: { imports: ["format"] },
        chart: { bytes: 500_000 },
      }),
    ).toEqual(["entry", "format", "layout", "money", "react"]);
  });

  it("leaves out a small module that imports a large one", () => {
    expect(
      chosenFrom({
        entry: { pages: ["home", "order"] },
        home: { imports: ["legend"] },
        order: { imports: ["legend"] },
        legend: { imports: ["chart"] },
        chart: { bytes: 500_000 },
      }),
    ).toEqual(["entry"]);
  });
});

type Graph = Record<string, { imports?: string[]; pages?: string[]; bytes?: number }>;

function chosenFrom(graph: Graph): string[] {
  const idOf = (name: string) => (name === "entry" ? `\0${browserEntry}` : name);
  const chosen = chooseEntryModules((id) => {
    const { imports = [], pages = [], bytes = 100 } = graph[id === idOf("entry") ? "entry" : id] ?? {};
    return { importedIds: imports, dynamicallyImportedIds: pages, code: "x".repeat(bytes) };
  });
  return [...chosen].map((id) => (id === idOf("entry") ? "entry" : id)).sort();
}
