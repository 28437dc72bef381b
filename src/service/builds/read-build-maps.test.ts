import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readBuildMaps } from "./read-build-maps.ts";

describe("the maps of a build", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-build-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (path: string, content: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  };

  it("the maps of a build are those of the browser and of the server, with the id of their build", () => {
    write("manifest.json", '{"build":"b1"}');
    write("maps/_assets/cart-1.js.map", map("6f1c2a34-9b1e-4c53-8a77-0123456789ab"));
    write("server/application.js.map", map("7f1c2a34-9b1e-4c53-8a77-0123456789ab"));
    write("server/application.js", "no map");
    const found = [...readBuildMaps(folder, 1)];
    expect(found.map(({ project, debugId, release }) => [project, debugId, release]).sort()).toEqual([
      [1, "6f1c2a349b1e4c538a770123456789ab", "b1"],
      [1, "7f1c2a349b1e4c538a770123456789ab", "b1"],
    ]);
  });

  it("a map without a debug id or of malformed JSON is skipped, and a folder without a build has no maps", () => {
    write("maps/a.js.map", '{"version":3}');
    write("maps/b.js.map", "no json");
    expect([...readBuildMaps(folder, 1)]).toEqual([]);
    expect([...readBuildMaps(join(folder, "nowhere"), 1)]).toEqual([]);
  });
});

function map(debugId: string): string {
  return JSON.stringify({ version: 3, sources: [], mappings: "", debug_id: debugId });
}
