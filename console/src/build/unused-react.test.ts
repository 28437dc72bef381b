import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "vite";
import { afterEach, describe, expect, it } from "vitest";
import { withoutUnused, withoutUnusedReact } from "./unused-react.ts";

const packages = dirname(dirname(createRequire(import.meta.url).resolve("react/package.json")));
const react = readFileSync(join(packages, "react-dom/cjs/react-dom-client.production.js"), "utf8");

describe("react-dom without what no screen uses", () => {
  it("is an eighth shorter and has every line in its place", () => {
    const left = withoutUnused(react);
    expect(left.length).toBeLessThan(react.length * 0.88);
    expect(left.split("\n").length).toBe(react.split("\n").length);
    expect(left.split("\n").at(-3)).toBe(react.split("\n").at(-3));
  });

  it("is refused if React has changed", () => {
    expect(() => withoutUnused(react.replaceAll("19.3.1", "19.4.0"))).toThrow("React is not 19.3.1");
    expect(() => withoutUnused(react.replace("function startViewTransition(", "function otherName("))).toThrow(
      "React has no function startViewTransition",
    );
  });
});

describe("a screen that uses a part of React that is left out", () => {
  let folder: string | undefined;
  afterEach(() => folder && rmSync(folder, { recursive: true, force: true }));

  it.each([
    'import { Suspense, ViewTransition } from "react"; export const one = [Suspense, ViewTransition];',
    'import { preload } from "react-dom"; export const one = preload;',
    'import { Fragment } from "react"; export const one = <Fragment ref={null}>text</Fragment>;',
    "export const one = <form action={async () => undefined} />;",
    "export const one = <own-element />;",
  ])("ends the build: %s", async (code) => {
    await expect(bundle(code)).rejects.toThrow("a part of React that console/src/build/unused-react.ts leaves out");
  });

  it("does not end it if it uses only the others", async () => {
    const code = 'import { Suspense } from "react"; export const one = <Suspense><form action="/" /></Suspense>;';
    await expect(bundle(code)).resolves.toBeDefined();
  });

  async function bundle(code: string): Promise<unknown> {
    folder = mkdtempSync(join(tmpdir(), "holdfast-unused-react-"));
    mkdirSync(join(folder, "console/src"), { recursive: true });
    symlinkSync(packages, join(folder, "node_modules"));
    writeFileSync(join(folder, "console/src/one.tsx"), code);
    return await build({
      root: folder,
      configFile: false,
      logLevel: "silent",
      plugins: [withoutUnusedReact()],
      build: { write: false, lib: { entry: "console/src/one.tsx", formats: ["es"] } },
    });
  }
});
