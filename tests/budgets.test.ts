import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { describe, expect, test } from "vitest";
import { root } from "../scripts/root.js";

/**
 * What the framework costs a visitor, beyond react and react-dom. A limit that is passed is either a mistake or a decision; a decision
 * changes the number here.
 */
describe("the browser's part of the framework, gzipped", () => {
  test("is at most 9 kB on a first load: everything that makes a page alive", async () => {
    const { entry } = await bundled();
    expect(entry.bytes).toBeLessThanOrEqual(9_000);
    // The measure would be worth nothing if something else had been bundled.
    expect(entry.files).toContain("src/pages/browser/screen.tsx");
    expect(entry.files).not.toContain("src/pages/browser/navigations.ts");
  });

  test("is at most 11 kB more with the first movement: navigations, prefetching, history", async () => {
    const { later } = await bundled();
    expect(later.bytes).toBeLessThanOrEqual(11_000);
    expect(later.files).toContain("src/pages/browser/navigations.ts");
  });
});

interface Bundle {
  bytes: number;
  files: string[];
}

let made: Promise<{ entry: Bundle; later: Bundle }> | undefined;

/** Bundles the browser's part as an application's build would, with React left out. */
function bundled(): Promise<{ entry: Bundle; later: Bundle }> {
  made ??= (async () => {
    const entryId = "virtual:first-load";
    // As an application's build does: with the test runner's own value, components would carry what only developers need.
    process.env.NODE_ENV = "production";
    const result = await build({
      root,
      configFile: false,
      logLevel: "error",
      define: { "process.env.NODE_ENV": '"production"' },
      resolve: { conditions: ["holdfast-source", "module", "browser"] },
      plugins: [
        {
          name: "first-load",
          resolveId: (id) => (id === entryId ? id : undefined),
          load: (id) =>
            id === entryId
              ? `import { startBrowser } from ${JSON.stringify(join(root, "src/pages/browser/index.ts"))}; startBrowser(globalThis.parts, globalThis.signals);`
              : undefined,
        },
      ],
      build: {
        write: false,
        modulePreload: { polyfill: false },
        rolldownOptions: { input: entryId, external: [/^react/] },
      },
    });
    if (Array.isArray(result) || !("output" in result)) throw new Error("Vite gave something else than one bundle.");
    const chunks = result.output.filter((file) => file.type === "chunk");
    return {
      entry: sumOf(chunks.filter(({ isEntry }) => isEntry)),
      later: sumOf(chunks.filter(({ isEntry }) => !isEntry)),
    };
  })();
  return made;
}

function sumOf(chunks: readonly Rolldown.OutputChunk[]): Bundle {
  return {
    bytes: chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0),
    files: chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => id.slice(root.length + 1))),
  };
}
