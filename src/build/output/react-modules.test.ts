import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { moduleOf, reactModules } from "./react-modules.ts";

const packages = dirname(dirname(createRequire(import.meta.url).resolve("react/package.json")));

describe("React's files as modules", () => {
  it.each([
    "react/cjs/react.production.js",
    "react/cjs/react-jsx-runtime.production.js",
    "react-dom/cjs/react-dom.production.js",
    "react-dom/cjs/react-dom-client.production.js",
    "scheduler/cjs/scheduler.production.js",
  ])("%s has the names and lines of the original", async (file) => {
    const path = join(packages, file);
    const code = readFileSync(path, "utf8");
    const module = moduleOf(code) ?? "";
    const names = Object.keys((await import(path)).default).sort();
    const exported = /\nexport \{ (.+) \};\n$/.exec(module)?.[1]?.split(", ") ?? [];
    expect(exported.map((one) => one.split(" as ")[1]).sort()).toEqual(names);
    expect(module.split("\n").length).toBe(code.split("\n").length + 2);
  });

  it("leaves a file alone that exports or requires in another way", () => {
    expect(moduleOf('"use strict";\nexports.one = 1;\nmodule.exports = exports;\n')).toBeUndefined();
    expect(moduleOf('"use strict";\nexports.one = 1;\nif (exports.one) exports.two = 2;\n')).toBeUndefined();
    expect(moduleOf('"use strict";\nexports.one = 1;\nvar two = require("two").two;\n')).toBeUndefined();
    expect(moduleOf('"use strict";\nvar two = require("two");\n')).toBeUndefined();
  });
});

describe("a bundle with React's files as modules", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-react-modules-"));
    symlinkSync(packages, join(folder, "node_modules"));
    writeFileSync(
      join(folder, "package.cjs"),
      `const react = require("react");
exports.Shown = () => react.createElement("b", null, require("react-dom").version);`,
    );
    writeFileSync(
      join(folder, "compiled.cjs"),
      `const interop = (one) => (one && one.__esModule ? one : { default: one });
exports.same = interop(require("react")).default.useState === require("react").useState;`,
    );
    writeFileSync(
      join(folder, "entry.js"),
      `import React, { useState } from "react";
import * as all from "react";
import { jsx } from "react/jsx-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { Shown } from "./package.cjs";
import { same } from "./compiled.cjs";
function Page() {
  const [text] = useState("hello");
  const [other] = React.useState("world");
  return jsx("p", { children: [text, other, String(all.useState === useState), String(same), jsx(Shown, {}, 1)] });
}
export const html = renderToStaticMarkup(jsx(Page, {}));`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("renders, with packages that require React and whichever way it is imported", async () => {
    const code = await bundle("entry.js");
    const file = join(folder, "out.mjs");
    writeFileSync(file, code);
    const { html } = await import(file);
    const { version } = await import("react-dom");
    expect(html).toBe(`<p>helloworldtruetrue<b>${version}</b></p>`);
  });

  it("has nothing of what no module imports", async () => {
    writeFileSync(join(folder, "few.js"), `export { useState } from "react";`);
    expect(await bundle("few.js")).not.toContain("cloneElement");
  });

  async function bundle(entry: string): Promise<string> {
    const before = process.env.NODE_ENV;
    onTestFinished(() => {
      process.env.NODE_ENV = before;
    });
    process.env.NODE_ENV = "production";
    const result = await build({
      root: folder,
      configFile: false,
      logLevel: "error",
      plugins: [reactModules()],
      build: { write: false, minify: false, lib: { entry, formats: ["es"] } },
    });
    const [one] = Array.isArray(result) ? result : [];
    const [chunk] = one?.output ?? [];
    if (!chunk) throw new Error("Vite gave no bundle.");
    return chunk.code;
  }
});
