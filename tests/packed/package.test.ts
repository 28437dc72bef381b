import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { root } from "../../scripts/root.js";
import { writeFiles } from "../kit/application.ts";
import { readmeFiles } from "../kit/readme-files.ts";
import { type InstalledApp, installedApp } from "./installed-app.ts";

interface Manifest {
  exports: Record<string, unknown>;
  dependencies: Record<string, string>;
}

const { exports, dependencies }: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entryPoints = Object.keys(exports)
  .filter((path) => path !== "./package.json")
  .map((path) => path.replace(/^\./, "holdfast"));

const { framework, starter, folder } = inject("newMachine");
let app: InstalledApp;

beforeAll(() => {
  app = installedApp("package", false);
});

describe("the packed package", () => {
  test.each(entryPoints)("exports the same names from %s as the source", async (entryPoint) => {
    const source = `console.log(JSON.stringify(Object.keys(await import("${entryPoint}")).sort()))`;
    const names: string[] = JSON.parse((await app.node(["--input-type=module", "--eval", source])).stdout);
    const file = entryPoint === "holdfast" ? "index" : entryPoint.replace("holdfast/", "");
    const fromSource: object = await import(`../../src/exports/${file}.ts`);
    expect(names).toEqual(Object.keys(fromSource).sort());
  });

  test("type-checks in an application, declarations included", async () => {
    writeFiles(app.folder, {
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          target: "es2024",
          lib: ["es2024", "dom", "dom.iterable"],
          module: "nodenext",
          jsx: "react-jsx",
          types: ["node"],
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: true,
          noEmit: true,
        },
        include: ["use.ts"],
      }),
      "use.ts": `${entryPoints.map((entryPoint, index) => `import * as entryPoint${index} from "${entryPoint}";`).join("\n")}
        export const everything = [${entryPoints.map((_, index) => `entryPoint${index}`).join(", ")}];
        export const code: string = new entryPoint0.HoldfastError("a", "b", "c").code;
        // @ts-expect-error: a code is text, so types have really been found.
        export const wrong: number = new entryPoint0.HoldfastError("a", "b", "c").code;`,
    });
    const { stdout, status } = await app.node([join(app.folder, "node_modules/typescript/bin/tsc"), "-p", app.folder]);
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  test("builds, type-checks and serves the README's first page", async () => {
    const files = readmeFiles();
    expect(Object.keys(files).sort()).toEqual([
      "src/pages/index.tsx",
      "src/pages/orders/[id].server.ts",
      "src/pages/orders/[id].tsx",
      "tsconfig.json",
    ]);
    writeFiles(app.folder, files);
    const built = await app.holdfast(["build"]);
    expect(built.status, built.stdout + built.stderr).toBe(0);
    const checked = await app.node([join(app.folder, "node_modules/typescript/bin/tsc"), "-p", app.folder]);
    expect(checked.stdout).toBe("");
    const url = await app.serve("start");
    const page = await (await fetch(`${url}/orders/7`)).text();
    expect(page).toContain("Ada");
    expect((await fetch(`${url}/orders/8`)).status).toBe(404);
  });

  test("starts from a few files: reading and linking hundreds would dominate the start and its memory", async () => {
    const list = join(folder, "loaded.txt");
    const hook = `import { appendFileSync } from "node:fs"; import { registerHooks } from "node:module";
      const tls = () => (process.moduleLoadList.includes("NativeModule tls") ? " after TLS" : "");
      registerHooks({ load: (url, context, next) => { appendFileSync(${JSON.stringify(list)}, url + tls() + "\\n"); return next(url, context); } });`;
    await app.serve("start", ["--import", `data:text/javascript,${encodeURIComponent(hook)}`]);
    const loaded = readFileSync(list, "utf8").split("\n");
    const own = new Set(loaded.flatMap((url) => url.split("/node_modules/holdfast/dist/")[1] ?? []));
    // A part that was compiled separately, beside the one in the bundle.
    expect([...own].filter((file) => /^(?:build|host|pages|reporting|service)\/index\.js$/.test(file))).toEqual([]);
    expect(own.size).toBeLessThanOrEqual(32);
    // Loading TLS takes 20 ms of processor time, and no request of this start needs it.
    expect(loaded.filter((url) => url.endsWith(" after TLS"))).toEqual([]);
  });

  test("is at most 6.6 MB, maps included, and has seven dependencies", () => {
    expect(framework.size).toBeLessThanOrEqual(6_600_000);
    expect(Object.keys(dependencies)).toHaveLength(7);
  });

  test("contains source and maps, but no tests, no maps of the console and no debug ids that would name them", () => {
    const paths = framework.files.map(({ path }) => path);
    expect(paths).toContain("src/exports/index.ts");
    expect(paths).toContain("dist/exports/index.js.map");
    expect(paths).toContain("bin/holdfast.js");
    const console = paths.filter((path) => path.startsWith("dist/console/"));
    expect(console.filter((path) => path.endsWith(".map"))).toEqual([]);
    const code = console.filter((path) => path.endsWith(".js"));
    expect(code.length).toBeGreaterThan(100);
    expect(code.filter((path) => readFileSync(join(root, path), "utf8").includes("_sentryDebugIds"))).toEqual([]);
    expect(paths.filter((path) => /\.(?:test|contract|test-d)\.|tsbuildinfo|^tests\/|^scripts\//.test(path))).toEqual(
      [],
    );
  });

  test("has a map for what a start runs, which leads to the sources in the package", () => {
    const map: { sources: string[] } = JSON.parse(readFileSync(join(root, "dist/start/index.js.map"), "utf8"));
    expect(map.sources).toContain("../../src/host/serve.ts");
    const paths = new Set(framework.files.map(({ path }) => path));
    const own = map.sources.filter((source) => source.startsWith("../../src/"));
    expect(own.filter((source) => !paths.has(source.slice(6)))).toEqual([]);
  });

  test("passes publint", async () => {
    for (const packed of [framework, starter]) {
      const tarball = readFileSync(packed.file);
      const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer } });
      expect(messages).toEqual([]);
    }
  });

  test("has types that resolve in every module resolution mode", async () => {
    const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const { stdout, status } = await app.node([attw, framework.file, "--profile", "esm-only"]);
    expect(status, stdout).toBe(0);
  });
});

describe("on a Node that is too old", () => {
  const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})`;

  test.each([
    ["notes/node_modules/holdfast/bin/holdfast.js", "install Node 24 from https://nodejs.org and try again."],
    [
      "home/.npm/_npx/*/node_modules/create-holdfast/create.js",
      "run `nvm install 24`, or install Node 24 from https://nodejs.org, and try again.",
    ],
  ])("%s says so in one sentence, and what to do", async (file, whatToDo) => {
    const [program = ""] = globSync(file, { cwd: folder });
    const { stderr, stdout, status } = await app.node(["--import", older, join(folder, program)]);
    expect(stdout).toBe("");
    expect(stderr).toBe(`Holdfast needs Node ^24.11 || >=26, but this is Node 20.20.2; ${whatToDo}\n`);
    expect(status).toBe(1);
  });
});
