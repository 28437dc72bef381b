import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { root } from "../scripts/root.js";
import { writeFiles } from "./kit/application.ts";
import { findBreaches, mayImport } from "./walls/import-graph.ts";
import { filesNamedIn, missingBeside, missingFiles } from "./walls/named-files.ts";

const parts = [...new Set(globSync("src/*/**/*.ts", { cwd: root }).map((file) => file.split(sep)[1] ?? ""))];

describe("the repository", () => {
  test("prints only where nothing of what it prints is obeyed by a terminal", () => {
    // `report-api.ts` runs in browsers too, whose consoles obey nothing.
    const places = ["src/cli/terminal.ts", "src/host/process/warn.ts", "src/reporting/report-api.ts"];
    const printing = globSync("src/**/*.{ts,tsx}", { cwd: root })
      .filter((file) => !/\.test\.|\/browser\//.test(file))
      .filter((file) => /\bconsole\.\w+\(|process\.std(?:out|err)\.write/.test(readFileSync(join(root, file), "utf8")));
    expect(printing.sort()).toEqual(places);
  });

  test("pages load nothing of Node's web client at a start, as an import of `node:http` or a subclass of it would", () => {
    const files = globSync("src/pages/**/*.{ts,tsx}", { cwd: root }).filter((file) => !/\btest\b/.test(file));
    expect(files.length).toBeGreaterThan(100);
    const loading =
      /^import (?!type\b)[^;]*from "node:https?"|extends (?:Headers|Request|Response|FormData|File|Blob)\b/m;
    expect(files.filter((file) => loading.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
  });

  test("the console does not spell its own address", () => {
    const files = globSync("console/src/**/*.{ts,tsx,css}", { cwd: root });
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => readFileSync(join(root, file), "utf8").includes("/_holdfast"))).toEqual([]);
  });

  test("keeps its walls", () => {
    expect(findBreaches(root)).toEqual([]);
  });

  test("has a row in the table for every part, and every arrow leads down", () => {
    const rows = Object.keys(mayImport);
    expect(parts.filter((part) => !rows.includes(part))).toEqual([]);
    for (const [part, targets] of Object.entries(mayImport)) {
      for (const target of targets)
        expect(rows.indexOf(target), `${part} → ${target}`).toBeLessThan(rows.indexOf(part));
    }
  });

  test("has a README of at most a screen in every part", () => {
    for (const part of parts) {
      const readme = join(root, "src", part, "README.md");
      expect(existsSync(readme), readme).toBe(true);
      expect(readFileSync(readme, "utf8").split("\n").length, readme).toBeLessThanOrEqual(50);
    }
  });

  test("has every file that ARCHITECTURE.md names", () => {
    const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    expect(filesNamedIn(text).length).toBeGreaterThan(20);
    expect(missingFiles(root, text)).toEqual([]);
  });

  test("has every file that a README in src names, relative to its folder", () => {
    const readmes = globSync("src/**/README.md", { cwd: root });
    expect(readmes.length).toBeGreaterThanOrEqual(parts.length);
    const missing = readmes.flatMap((file) => missingBeside(root, file, readFileSync(join(root, file), "utf8")));
    expect(missing).toEqual([]);
  });

  test("has locked every package for every platform, so that `npm ci` works on all of them", () => {
    const lock: Lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    const optional = Object.values(lock.packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(optional.length).toBeGreaterThan(0);
    expect(optional.filter((name) => !(`node_modules/${name}` in lock.packages))).toEqual([]);
  });

  test("needs no install script of any package", () => {
    const lock: Lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    const withScripts = Object.entries(lock.packages).filter(([, entry]) => entry.hasInstallScript && !entry.optional);
    expect(withScripts.map(([path]) => path)).toEqual([]);
  });
});

describe("a planted breach is found:", () => {
  test("a tree that keeps the walls has no breach", () => {
    const breaches = breachesOf({
      "src/pages/server/handle-request.ts": `import { match } from "#routes";\nimport type { View } from "../view.ts";\nimport { readFile } from "node:fs";`,
      "src/pages/view.ts": `export type Params = Record<string, string>;`,
      "src/pages/pages.test.ts": `import { store } from "#service";\nimport { journey } from "../../tests/kit/index.ts";`,
      "src/exports/index.ts": `export { HoldfastError } from "#errors";`,
      "src/build/entries.ts": `/**\n * import { x } from "#host";\n */\nconst code = \`\nimport { start } from "holdfast";\n\${[].map(() => \`import "#pages";\`)}\`;`,
      "tour/src/pages/index.tsx": `import { Link } from "holdfast";\nimport { look } from "../look.ts";`,
    });
    expect(breaches).toEqual([]);
  });

  test.each([
    [
      "an import that the table does not allow",
      "src/pages/a.ts",
      `import { x } from "#service";`,
      "imports #service, which pages may not",
    ],
    [
      "the same by a path into the part",
      "src/host/a.ts",
      `import { x } from "#build/plugin";`,
      "imports #build/plugin",
    ],
    ["the same over several lines", "src/build/a.ts", `import {\n  one,\n  two,\n} from "#pages";`, "imports #pages"],
    ["the same as a type", "src/service/a.ts", `import type { X } from "#reporting";`, "imports #reporting"],
    ["the same by a re-export", "src/reporting/a.ts", `export * from "#pages";`, "imports #pages"],
    ["the same by a named re-export", "src/reporting/a.ts", `export { x as y } from "#host";`, "imports #host"],
    ["the same for its effect alone", "src/routes/a.ts", `import "#signals";`, "imports #signals"],
    ["the same at run time", "src/cli/a.ts", `const x = await import("#pages");`, "imports #pages"],
    ["the own part by its outer name", "src/pages/a.ts", `import { x } from "#pages/react";`, "its own part"],
    ["a public entry point from inside", "src/host/a.ts", `import { x } from "holdfast/server";`, "from inside"],
    [
      "climbing out",
      "src/pages/server/a.ts",
      `import { x } from "../../service/index.ts";`,
      "climbs out of pages to src/service/index.ts",
    ],
    ["climbing out at run time", "src/cli/a.ts", `await import("../../tests/kit/index.ts");`, "climbs out of cli"],
    [
      "a test that climbs into another part",
      "src/cli/a.test.ts",
      `import { x } from "../host/index.ts";`,
      "climbs out of cli",
    ],
    [
      "the browser half reaching for the server half",
      "src/pages/browser/a.ts",
      `import { x } from "../server/b.ts";`,
      "reaches from browser/ into server/",
    ],
    [
      "the server half reaching for the browser half",
      "src/reporting/server/a.ts",
      `import type { X } from "../browser/b.ts";`,
      "reaches from server/ into browser/",
    ],
    [
      "Node in code for browsers",
      "src/pages/react/a.tsx",
      `import { readFile } from "node:fs";`,
      "which no browser has",
    ],
    ["Node in a pure part", "src/protocol/a.ts", `import { hash } from "node:crypto";`, "which no browser has"],
    ["a package in a pure part", "src/routes/a.ts", `import { useState } from "react";`, "routes stands on nothing"],
    ["a part without a row", "src/helpers/a.ts", `export const x = 1;`, "belongs to no part"],
    [
      "an application that goes around the entry points",
      "tour/src/a.ts",
      `import { x } from "../../src/pages/index.ts";`,
      "public entry points only",
    ],
    [
      "an application that uses a part's name",
      "console/src/a.ts",
      `import { x } from "#service";`,
      "public entry points only",
    ],
    [
      "an application that uses the built files",
      "tour/src/a.ts",
      `import { x } from "holdfast/dist/pages/index.js";`,
      "public entry points only",
    ],
  ])("%s", (_, path, source, words) => {
    const breaches = breachesOf({ [path]: source });
    expect(breaches).toHaveLength(1);
    expect(breaches[0]).toContain(path);
    expect(breaches[0]).toContain(words);
  });

  test("three files that import each other in a circle", () => {
    const breaches = breachesOf({
      "src/routes/a.ts": `import { b } from "./b.ts";`,
      "src/routes/b.ts": `import { c } from "./c.ts";`,
      "src/routes/c.ts": `export { a } from "./a.ts";`,
    });
    expect(breaches).toEqual(["src/routes/a.ts → src/routes/b.ts → src/routes/c.ts → src/routes/a.ts is a cycle"]);
  });

  test("two files that know each other's types", () => {
    const breaches = breachesOf({
      "src/routes/a.ts": `import { b } from "./b.ts";`,
      "src/routes/b.ts": `import { type A, type B } from "./a.ts";`,
    });
    expect(breaches).toEqual(["src/routes/a.ts → src/routes/b.ts → src/routes/a.ts is a cycle"]);
  });

  test("two files of which one loads the other later are no breach", () => {
    const breaches = breachesOf({
      "src/routes/a.ts": `import { c } from "./c.ts";`,
      "src/routes/c.ts": `const a = () => import("./a.ts");`,
    });
    expect(breaches).toEqual([]);
  });

  test("a folder that imports from a higher floor of its part", () => {
    const breaches = breachesOf({
      "src/service/stores/store.ts": `import type { Filter } from "../queries/filter.ts";`,
      "src/service/queries/filter.ts": `export type Filter = string;`,
      "src/service/helpers/a.ts": `import { hourMs } from "../clock.ts";`,
    });
    expect(breaches).toEqual([
      "src/service/helpers/a.ts:1 belongs to no floor of service: helpers",
      "src/service/stores/store.ts:1 climbs from stores up to queries",
    ]);
  });

  test("a file that a README names and its folder does not have", () => {
    const text = "`index.ts`, `nowhere.ts`, `nowhere/`, `../bounds/turns.ts`, `tests/kit`, `tests/nowhere.ts`, `x.y`";
    expect(missingBeside(root, "src/errors/README.md", text)).toEqual([
      "src/errors/README.md: nowhere.ts",
      "src/errors/README.md: nowhere/",
      "src/errors/README.md: tests/nowhere.ts",
    ]);
  });

  test("a file that ARCHITECTURE.md names and the repository does not have", () => {
    expect(missingFiles(root, "`package.json`, `src/errors/index.ts` and `src/errors/nowhere.ts`")).toEqual([
      "src/errors/nowhere.ts",
    ]);
  });
});

function breachesOf(files: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-walls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFiles(folder, files);
  return findBreaches(folder);
}

interface Lock {
  packages: Record<
    string,
    { optionalDependencies?: Record<string, string>; hasInstallScript?: boolean; optional?: boolean }
  >;
}
