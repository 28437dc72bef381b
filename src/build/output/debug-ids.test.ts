import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { addDebugId, addDebugIdToMap, compileAhead, debugIdOf } from "./debug-ids.ts";

const code = 'throw new Error("first line")\n//# sourceMappingURL=a.js.map\n';

describe("a debug id", () => {
  it("is a UUID that is equal for equal code", () => {
    expect(debugIdOf(code)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(debugIdOf(code)).toBe(debugIdOf(code));
    expect(debugIdOf(code)).not.toBe(debugIdOf(`${code} `));
  });

  it("is at the end, before the address of the source map", () => {
    const id = debugIdOf(code);
    expect(addDebugId(code, id, "browser module").split("\n").slice(-3)).toEqual([
      `//# debugId=${id}`,
      "//# sourceMappingURL=a.js.map",
      "",
    ]);
    expect(addDebugId("run()", id, "browser module")).toMatch(new RegExp(`\nrun\\(\\)\n//# debugId=${id}\n$`));
  });

  it("reaches the reporter with its stack when the chunk runs", () => {
    const world: { _sentryDebugIds?: Record<string, string> } = {};
    runInNewContext(addDebugId("1", "the-id", "script"), world, { filename: "https://a.example/chunk.js" });
    const [[stack, id] = []] = Object.entries(world._sentryDebugIds ?? {});
    expect(stack).toContain("https://a.example/chunk.js:1");
    expect(id).toBe("the-id");
  });

  it("reaches the reporter as a stack without an error, which a module would be parsed again for", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-debug-ids-"));
    const file = join(folder, "chunk.mjs");
    const code = compileAhead(addDebugId("export default 1", "id-of-module", "server module"));
    writeFileSync(file, code);
    // V8 ignores it after any other line.
    expect(code.split("\n")[0]).toBe("//# allFunctionsCalledOnLoad");
    expect(code).not.toContain("Error()");
    const address = pathToFileURL(file).href;
    await import(address);
    const { _sentryDebugIds: ids = {} } = globalThis as { _sentryDebugIds?: Record<string, string> };
    const stack = `${address}:1:1`;
    expect(ids[stack]).toBe("id-of-module");
    delete ids[stack];
    rmSync(folder, { recursive: true });
  });

  it("shifts the source map by the line that it adds", () => {
    const map = {
      version: 3,
      file: "a.js",
      names: [],
      sources: ["a.ts"],
      sourcesContent: null,
      sourceRoot: "",
      mappings: "AAAA",
    };
    const moved = addDebugIdToMap(map, "the-id");
    expect(moved).toMatchObject({ debug_id: "the-id", debugId: "the-id" });
    expect(new SourceMap(moved as never).findEntry(1, 0)).toMatchObject({ originalSource: "a.ts", originalLine: 0 });
  });
});
