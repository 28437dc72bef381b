import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { generateTypes } from "#build";

const root = resolve(import.meta.dirname, "../fixtures/orders");
const tsc = resolve(import.meta.dirname, "../../node_modules/.bin/tsc");

describe("the generated types", () => {
  it("let every right use of a page compile and no wrong one", async () => {
    // Each wrong use in src/typed-links.tsx is marked @ts-expect-error, which is itself an error where the compiler finds nothing wrong.
    expect(await readFile(resolve(root, "src/typed-links.tsx"), "utf8")).toContain("@ts-expect-error");
    await generateTypes({ root });
    const { stdout } = await promisify(execFile)(tsc, ["--noEmit", "-p", root]).catch((failed) => failed);
    expect(stdout).toBe("");
  });

  it("name each page with its server half", async () => {
    await generateTypes({ root });
    const text = await readFile(resolve(root, ".holdfast/types/routes.d.ts"), "utf8");
    expect(text).toContain('"/orders/[id]": typeof import("../../src/pages/orders/[id].server.js");');
    expect(text).not.toContain("/api/export");
  });
});
