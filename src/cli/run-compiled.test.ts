import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
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

  test("is not taken from a file or folder that somebody else may have written", () => {
    const { run, kept, cache } = place();
    run().keep();
    const [file = ""] = kept();
    const isTaken = () => !run().isKeeping;
    expect(isTaken()).toBe(true);

    for (const [path, mode] of [
      [file, 0o600],
      [cache, 0o700],
    ] as const) {
      for (const added of [0o020, 0o002]) {
        chmodSync(path, mode | added);
        expect(isTaken(), `${path} ${added.toString(8)}`).toBe(false);
      }
      chmodSync(path, mode);
      expect(isTaken()).toBe(true);
    }

    for (const path of [file, cache]) {
      const moved = `${path}-elsewhere`;
      renameSync(path, moved);
      symlinkSync(moved, path);
      expect(isTaken(), `link ${path}`).toBe(false);
      rmSync(path);
      renameSync(moved, path);
    }
    expect(isTaken()).toBe(true);

    // Files of root are anybody's to take, so root gives one away.
    const own = process.getuid?.() ?? 0;
    if (own === 0) chownSync(file, 1, 1);
    expect(run(own === 0 ? 0 : own + 1).isKeeping).toBe(true);
  });

  test("is not written into a folder that somebody else may write", () => {
    const { run, kept, cache } = place();
    mkdirSync(cache, { recursive: true });
    chmodSync(cache, 0o777);
    run().keep();
    expect(kept()).toEqual([]);
  });

  test("is written to a new file, and leaves none where that fails", () => {
    const { run, kept, cache } = place();
    run().keep();
    const [file = ""] = kept();
    rmSync(file);
    const target = join(cache, "target");
    writeFileSync(target, "mine");
    const growing = `${file}.${process.pid}`;
    symlinkSync(target, growing);
    run().keep();
    expect(readFileSync(target, "utf8")).toBe("mine");
    expect(kept()).toEqual([target]);

    // The file can be written, but not get its name.
    mkdirSync(join(file, "in the way"), { recursive: true });
    run().keep();
    expect(kept().sort()).toEqual([file, target].sort());
    expect(lstatSync(file).isDirectory()).toBe(true);
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
  const cache = join(folder, "cache", "called");
  return {
    script,
    cache,
    kept: () => readdirSync(cache).map((name) => join(cache, name)),
    run: (uid = process.getuid?.()) => {
      let keep: (() => void) | undefined;
      const later = (work: () => void) => {
        keep = work;
      };
      // V8 remembers scripts of the same name and text within a process.
      const deps = { folder: () => join(folder, "cache"), later, uid };
      const made = runCompiled(pathToFileURL(script), `file://${folder}/it.js`, deps);
      const result = (made as () => Record<"called" | "never", () => number>)();
      return { result, isKeeping: keep !== undefined, keep: () => keep?.() };
    },
  };
}
