import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

import { runCompiled } from "./run-compiled.ts";

const long = `return ${Array.from({ length: 200 }, (_, at) => `"text ${at}".length`).join("+")};`;
const source = `(function(){"use strict";\nfunction called(){${long}}\nfunction never(){${long}}\nreturn{called,never};\n})\n`;

describe("a script whose compiled code is kept", () => {
  test("is compiled from what an earlier run has called, and from the source where nothing is kept", () => {
    const { run, kept } = place();
    const first = run();
    first.result.called();
    first.keep();
    const [file = ""] = kept();
    const size = statSync(file).size;
    expect(statSync(file).mode & 0o077).toBe(0);

    const second = run();
    expect(second.result.called()).toBe(first.result.called());
    // What is kept was accepted.
    expect(second.isKeeping).toBe(false);

    const other = place();
    const uncalled = other.run();
    uncalled.keep();
    const [without = ""] = other.kept();
    expect(size).toBeGreaterThan(statSync(without).size + 500);
  });

  test("is compiled again when what is kept was cut, changed, or made from another source of the same length", () => {
    const { run, kept, script } = place();
    run().keep();
    const [file = ""] = kept();
    const whole = readFileSync(file);

    truncateSync(file, 3);
    const cut = run();
    expect(cut.isKeeping).toBe(true);
    cut.keep();
    expect(run().isKeeping).toBe(false);

    const changed = Buffer.from(whole);
    changed[whole.length >> 1] = (changed[whole.length >> 1] ?? 0) ^ 1;
    writeFileSync(file, changed);
    expect(run().isKeeping).toBe(true);

    writeFileSync(file, whole);
    writeFileSync(script, source.replaceAll("text 1", "text 2"));
    expect(run().isKeeping).toBe(true);
  });

  test("runs without a folder, and with one that cannot be written", () => {
    const { script } = place();
    let isKeeping = false;
    const later = () => {
      isKeeping = true;
    };
    runCompiled(pathToFileURL(script), "file:///it.js", { folder: () => undefined, later });
    expect(isKeeping).toBe(false);
    runCompiled(pathToFileURL(script), "file:///it.js", {
      folder: () => join(script, "none"),
      later: (work) => work(),
    });
  });

  test("errors name the module at the lines that it had", () => {
    const { script } = place();
    writeFileSync(script, '(function(){"use strict";\nreturn () => { throw new Error("wrong"); };\n})\n');
    const run = runCompiled(pathToFileURL(script), "file:///it.js", { folder: () => undefined }) as () => () => never;
    expect(() => run()()).toThrow(expect.objectContaining({ stack: expect.stringContaining("file:///it.js:1:22") }));
  });
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const folders: string[] = [];

function place() {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-kept-"));
  folders.push(folder);
  const script = join(folder, "it.script.js");
  writeFileSync(script, source);
  const cache = join(folder, "cache");
  return {
    script,
    kept: () => readdirSync(cache).map((name) => join(cache, name)),
    run: () => {
      let keep: (() => void) | undefined;
      const later = (work: () => void) => {
        keep = work;
      };
      // V8 remembers scripts of the same name and text within a process.
      const made = runCompiled(pathToFileURL(script), `file://${folder}/it.js`, { folder: () => cache, later });
      const result = (made as () => Record<"called" | "never", () => number>)();
      return { result, isKeeping: keep !== undefined, keep: () => keep?.() };
    },
  };
}
