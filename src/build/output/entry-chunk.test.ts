import { describe, expect, it } from "vitest";
import { pagesOwnModules } from "../own-package.ts";
import { browserEntry } from "../virtual-modules.ts";
import { chooseEntryModules } from "./entry-chunk.ts";

describe("the entry chunk", () => {
  it("contains the imports of the entry and small modules that pages share", () => {
    expect(
      chosenFrom({
        entry: { imports: ["react", "layout"], pages: ["home", "order"] },
        layout: { imports: ["react"] },
        home: { imports: ["money", "hero"] },
        order: { imports: ["money"] },
        money: { imports: ["format"] },
      }),
    ).toEqual(["entry", "format", "layout", "money", "react"]);
  });

  it("leaves out a small module of pages that share a large one, whose chunk they load anyway", () => {
    expect(
      chosenFrom({
        entry: { pages: ["home", "order", "about"] },
        home: { imports: ["money", "chart"] },
        order: { imports: ["money", "chart"] },
        about: { imports: ["money"] },
        chart: { imports: ["legend"], bytes: 500_000 },
      }),
    ).toEqual(["entry", "money"]);
  });

  it("leaves out what few pages use, although every page may import it by the index of the package", () => {
    const [useSocket = ""] = pagesOwnModules;
    expect(
      chosenFrom({
        entry: { pages: ["home", "room"] },
        home: { imports: ["holdfast"] },
        room: { imports: ["holdfast"] },
        holdfast: { imports: [useSocket, "link"] },
      }),
    ).toEqual(["entry", "holdfast", "link"]);
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
