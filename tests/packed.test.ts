import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root } from "../scripts/root.js";
import { writeFiles } from "./kit/application.ts";
import { readmeFiles } from "./kit/readme-files.ts";

interface Manifest {
  exports: Record<string, unknown>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const { exports, dependencies, devDependencies }: Manifest = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
const doors = Object.keys(exports)
  .filter((path) => path !== "./package.json")
  .map((path) => path.replace(/^\./, "holdfast"));

/** A folder outside the repository, as a stranger has it. */
const folder = mkdtempSync(join(tmpdir(), "holdfast-packed-"));
const app = join(folder, "app");
const command = join(app, "node_modules/holdfast/bin/holdfast.js");
let framework: Packed;
let starter: Packed;

interface Packed {
  filename: string;
  size: number;
  files: { path: string }[];
}

beforeAll(() => {
  framework = pack([]);
  starter = pack(["--workspace", "create"]);
  mkdirSync(app);
  writeFiles(app, { "package.json": JSON.stringify({ private: true, type: "module" }) });
  const beside = ["react", "react-dom", "typescript", "@types/react", "@types/react-dom", "@types/node"];
  npm(app, [
    "install",
    "--prefer-offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    join(folder, framework.filename),
    join(folder, starter.filename),
    ...beside.map((name) => `${name}@${devDependencies[name]}`),
  ]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packed package", () => {
  test.each(doors)("gives out the same names by %s as the source does", (door) => {
    const source = `console.log(JSON.stringify(Object.keys(await import("${door}")).sort()))`;
    const names: string[] = JSON.parse(node(["--input-type=module", "--eval", source]).stdout);
    const file = door === "holdfast" ? "index" : door.replace("holdfast/", "");
    return import(`../src/exports/${file}.ts`).then((fromSource: object) =>
      expect(names).toEqual(Object.keys(fromSource).sort()),
    );
  });

  test("type-checks where it is used, declarations included", () => {
    writeFiles(app, {
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
      "use.ts": `${doors.map((door, index) => `import * as door${index} from "${door}";`).join("\n")}
        export const everything = [${doors.map((_, index) => `door${index}`).join(", ")}];
        export const code: string = new door0.HoldfastError("a", "b", "c").code;
        // @ts-expect-error: a code is text, so types have really been found.
        export const wrong: number = new door0.HoldfastError("a", "b", "c").code;`,
    });
    const { stdout, status } = node([join(app, "node_modules/typescript/bin/tsc"), "-p", app]);
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  test("makes the README's first page: built, type-checked and served", async () => {
    const files = readmeFiles();
    expect(Object.keys(files).sort()).toEqual([
      "src/pages/index.tsx",
      "src/pages/orders/[id].server.ts",
      "src/pages/orders/[id].tsx",
      "tsconfig.json",
    ]);
    writeFiles(app, files);
    const built = node([command, "build"]);
    expect(built.status, built.stdout + built.stderr).toBe(0);
    const checked = node([join(app, "node_modules/typescript/bin/tsc"), "-p", app]);
    expect(checked.stdout).toBe("");
    const server = spawn(process.execPath, [command, "start", "--port", "0"], { cwd: app });
    onTestFinished(() => void server.kill());
    const url = await addressSaidBy(server);
    const page = await (await fetch(`${url}/orders/7`)).text();
    expect(page).toContain("Ada");
    expect((await fetch(`${url}/orders/8`)).status).toBe(404);
  });

  test("is at most 3.2 MB, maps included, and brings six packages of its own", () => {
    expect(framework.size).toBeLessThanOrEqual(3_200_000);
    expect(Object.keys(dependencies)).toHaveLength(6);
  });

  test("has source and maps, and no tests", () => {
    const paths = framework.files.map(({ path }) => path);
    expect(paths).toContain("src/exports/index.ts");
    expect(paths).toContain("dist/exports/index.js.map");
    expect(paths).toContain("bin/holdfast.js");
    expect(paths.filter((path) => /\.(?:test|contract|test-d)\.|tsbuildinfo|^tests\/|^scripts\//.test(path))).toEqual(
      [],
    );
  });

  test("is found without fault by publint", async () => {
    for (const packed of [framework, starter]) {
      const tarball = readFileSync(join(folder, packed.filename));
      const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer } });
      expect(messages).toEqual([]);
    }
  });

  test("has types that resolve wherever modules do", () => {
    const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const { stdout, status } = node([attw, join(folder, framework.filename), "--profile", "esm-only"]);
    expect(status, stdout).toBe(0);
  });
});

describe("on a Node that is too old", () => {
  const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})`;

  test.each([
    ["holdfast/bin/holdfast.js", "install Node 24 from https://nodejs.org and try again."],
    ["create-holdfast/create.js", "run `nvm install 24`, or install Node 24 from https://nodejs.org, and try again."],
  ])("%s says so in one sentence, and what to do", (file, whatToDo) => {
    const { stderr, stdout, status } = node(["--import", older, join(app, "node_modules", file)]);
    expect(stdout).toBe("");
    expect(stderr).toBe(`Holdfast needs Node ^24.11 || >=26, but this is Node 20.20.2; ${whatToDo}\n`);
    expect(status).toBe(1);
  });
});

async function addressSaidBy(server: ChildProcessWithoutNullStreams): Promise<string> {
  let said = "";
  // The pipe stays open: the server goes on writing its log.
  for await (const text of server.stdout.iterator({ destroyOnReturn: false })) {
    said += text;
    const url = /http:\/\/[\w.:[\]]+/.exec(said)?.[0];
    if (!url) continue;
    server.stdout.resume();
    return url;
  }
  throw new Error(`The server ended without an address: ${said}`);
}

function pack(args: string[]): Packed {
  const output = npm(root, ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...args]);
  const [packed]: Packed[] = JSON.parse(output);
  if (!packed) throw new Error(`npm packed nothing: ${output}`);
  return packed;
}

function npm(cwd: string, args: string[]): string {
  return execFileSync("npm", [...args, "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
}

/** In the stranger's folder, with nothing of the repository in sight. */
function node(args: string[]): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, args, { cwd: app, encoding: "utf8", env: { PATH: process.env.PATH } });
}
