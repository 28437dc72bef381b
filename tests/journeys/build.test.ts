import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { type BuildManifest, buildApplication } from "#build";
import { startApplication } from "#host";
import { root } from "../../scripts/root.js";
import { application, writeFiles } from "../kit/index.ts";

const orders = join(root, "tests/fixtures/orders");
const dist = join(orders, "dist");

describe("a built application", () => {
  let manifest: BuildManifest;
  beforeAll(async () => {
    rmSync(dist, { recursive: true, force: true });
    manifest = await buildApplication({ root: orders });
  });

  it("responds with a document that names the files of its page", async () => {
    await serving(orders, async (url) => {
      const document = await (await fetch(`${url}/orders/7`)).text();
      expect(document).toContain("Order 7");
      const named = [...document.matchAll(/\/_assets\/[\w.-]+/g)].map(([path]) => path);
      expect(named).toContainEqual(expect.stringMatching(/entry-/));
      expect(named).toContainEqual(expect.stringMatching(/orders-id-/));
      for (const path of named) expect((await fetch(url + path)).status).toBe(200);
    });
  });

  it("needs three files beside the document for a first load: entry, page and styles", async () => {
    await serving(orders, async (url) => {
      const loaded = new Set<string>();
      const load = async (path: string) => {
        if (loaded.has(path)) return;
        loaded.add(path);
        const text = await (await fetch(url + path)).text();
        for (const [, file] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+)["']/g))
          await load(`/_assets/${file}`);
      };
      const document = await (await fetch(`${url}/`)).text();
      for (const [path] of document.matchAll(/\/_assets\/[\w.-]+/g)) await load(path);
      expect([...loaded].map((path) => path.replace(/-[\w-]{8}\./, ".")).sort()).toEqual([
        "/_assets/entry.js",
        "/_assets/index.js",
        "/_assets/style.css",
      ]);
    });
  });

  it("keeps server-only values out of every file for the browser", () => {
    expect(readFileSync(join(dist, "server/application.js"), "utf8") + textOf("server/chunks")).toContain(
      "the-supplier-key-of-the-fixture",
    );
    expect(textOf("browser")).not.toContain("the-supplier-key-of-the-fixture");
  });

  it("stores source maps separately, linked to their chunks by debug ids", () => {
    const chunks = filesIn("browser").filter((file) => file.endsWith(".js"));
    expect(chunks.length).toBeGreaterThan(2);
    expect(filesIn("browser").filter((file) => file.endsWith(".map"))).toEqual([]);
    for (const chunk of chunks) {
      const code = readFileSync(join(dist, "browser", chunk), "utf8");
      const map = JSON.parse(readFileSync(join(dist, "maps", `${chunk}.map`), "utf8"));
      expect(code).not.toContain("sourceMappingURL");
      expect(code).toContain(`//# debugId=${map.debug_id}`);
      expect(code).toContain(`="${map.debug_id}"`);
    }
    const page = JSON.parse(
      readFileSync(join(dist, "maps", `${chunks.find((file) => file.includes("orders-id"))}.map`), "utf8"),
    );
    expect(page.sources).toEqual(["src/pages/orders/[id].tsx"]);
  });

  it("contains compressed files with the same content", () => {
    const entry = manifest.files.find((file) => file.path.includes("/entry-"));
    expect(entry).toMatchObject({ type: "text/javascript; charset=utf-8", immutable: true });
    expect(entry?.encodings.toSorted()).toEqual(["br", "gzip", "zstd"]);
    const content = readFileSync(join(dist, entry?.file ?? ""));
    expect(brotliDecompressSync(readFileSync(join(dist, `${entry?.file}.br`)))).toEqual(content);
    expect(gunzipSync(readFileSync(join(dist, `${entry?.file}.gz`)))).toEqual(content);
    expect(zstdDecompressSync(readFileSync(join(dist, `${entry?.file}.zst`)))).toEqual(content);
  });

  it("lists the files from public as files that may change", () => {
    expect(manifest.files).toContainEqual({
      path: "/robots.txt",
      file: "browser/robots.txt",
      bytes: 14,
      type: "text/plain; charset=utf-8",
      encodings: [],
      immutable: false,
      hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  it("measures each route", () => {
    const order = manifest.routes.find((route) => route.id === "/orders/[id]");
    const entry = manifest.files.find((file) => file.path.includes("/entry-"));
    expect(order?.pageBytes).toBeGreaterThan(100);
    expect(order?.firstLoadBytes).toBeLessThan(entry?.bytes ?? 0);
    const wire = ({ file, bytes, encodings }: BuildManifest["files"][number]): number =>
      encodings.includes("gzip") ? statSync(join(dist, `${file}.gz`)).size : bytes;
    const weightOf = (name: string): number =>
      manifest.files
        .filter(({ path }) => path.startsWith(`/_assets/${name}-`))
        .reduce((sum, file) => sum + wire(file), 0);
    expect(manifest.later.map(({ name }) => name)).toContain("later");
    for (const { name, bytes } of manifest.later) expect(bytes).toBe(weightOf(name));
    const own = ["entry", "style", ...manifest.later.map(({ name }) => name)].reduce(
      (sum, name) => sum + weightOf(name),
      0,
    );
    expect(order?.firstLoadBytes).toBe(own + (order?.pageBytes ?? 0));
    expect(manifest.routes).toContainEqual({ id: "/api/export", kind: "api", pageBytes: 0, firstLoadBytes: 0 });
  });

  it("is identical for equal sources", async () => {
    const files = new Map(filesIn("browser").map((file) => [file, readFileSync(join(dist, "browser", file))]));
    const again = await buildApplication({ root: orders });
    expect(again).toEqual(manifest);
    expect(filesIn("browser").sort()).toEqual([...files.keys()].sort());
    for (const [file, content] of files)
      expect(readFileSync(join(dist, "browser", file)).equals(content), file).toBe(true);
  });
});

describe("the script of a worker", () => {
  it("is served like every other chunk, without its source map", async () => {
    const folder = join(
      root,
      application({
        "src/pages/index.tsx":
          'export const start = () => new Worker(new URL("../count.worker.ts", import.meta.url), { type: "module" });\nexport default () => <button onClick={start}>count</button>;',
        "src/count.worker.ts": "self.postMessage(7); export {};",
      }),
    );
    const { files } = await buildApplication({ root: folder });
    const [worker, ...others] = files.filter(({ path }) => path.includes("count.worker"));
    expect(others).toEqual([]);
    expect(worker).toMatchObject({
      path: expect.stringMatching(/^\/_assets\/count\.worker-[\w-]+\.js$/),
      immutable: true,
    });
    expect(existsSync(join(folder, "dist/maps", `${worker?.path}.map`))).toBe(true);
    expect(readFileSync(join(folder, "dist", worker?.file ?? ""), "utf8")).toContain("//# debugId=");
  });
});

describe("a new build", () => {
  it("has another id if the browser's code differs, and keeps the files of the two previous builds", async () => {
    const folder = join(
      root,
      application({
        "src/pages/index.tsx": "export default () => <p>first</p>;",
        "src/pages/[id].server.ts": "export const GET = () => new Response();",
      }),
    );
    rmSync(join(folder, "dist"), { recursive: true, force: true });
    const build = async (text: string) => {
      writeFiles(folder, { "src/pages/index.tsx": `export default () => <p>${text}</p>;` });
      return await buildApplication({ root: folder });
    };
    const [first, second, third, fourth] = [
      await build("first"),
      await build("second"),
      await build("third"),
      await build("fourth"),
    ];
    expect(new Set([first, second, third, fourth].map(({ build }) => build)).size).toBe(4);
    expect(fourth.earlier.map(({ build }) => build)).toEqual([third.build, second.build]);
    const there = new Set(readdirSync(join(folder, "dist/browser/_assets")));
    const pageOf = ({ files }: BuildManifest) =>
      files.find(({ path }) => path.includes("/index-"))?.path.replace("/_assets/", "") ?? "";
    expect([first, second, third, fourth].map((one) => there.has(pageOf(one)))).toEqual([false, true, true, true]);
    // Of the server as well, for processes that still run one of them.
    const chunks = readdirSync(join(folder, "dist/server/chunks")).map((name) => `server/chunks/${name}`);
    expect(new Set(chunks)).toEqual(new Set([second, third, fourth].flatMap((one) => one.chunks[0] ?? [])));
  });

  it("has the same id if only the server's code differs: open tabs continue", async () => {
    const folder = join(
      root,
      application({
        "src/pages/index.tsx": "export default () => <p>page</p>;",
        "src/pages/index.server.ts": "export const cache = 'a';",
      }),
    );
    const { build } = await buildApplication({ root: folder });
    writeFiles(folder, { "src/pages/index.server.ts": "export const cache = 'b';" });
    expect((await buildApplication({ root: folder })).build).toBe(build);
  });

  it("a new build that fails leaves the last good one in place", async () => {
    const folder = join(root, application({ "src/pages/index.tsx": "export default () => <p>good</p>;" }));
    await buildApplication({ root: folder });
    const good = readFileSync(join(folder, "dist/manifest.json"), "utf8");
    writeFiles(folder, { "src/pages/index.tsx": 'import "node:fs"; export default () => <p>bad</p>;' });
    await expect(buildApplication({ root: folder })).rejects.toThrow(/server-package-in-browser/);
    expect(readFileSync(join(folder, "dist/manifest.json"), "utf8")).toBe(good);
    writeFiles(folder, { "src/pages/index.tsx": "export default () => <p>good</p>;" });
  });

  it("does not replace a folder with other content", async () => {
    const folder = join(
      root,
      application({ "src/pages/index.tsx": "export default () => <p>a</p>;", "precious/thesis.txt": "words" }),
    );
    await expect(buildApplication({ root: folder, outDir: "precious" })).rejects.toThrow(/output-folder-in-use/);
    expect(readFileSync(join(folder, "precious/thesis.txt"), "utf8")).toBe("words");
  });
});

describe("an application with its own vite.config", () => {
  it("is built with its settings, and with its plugins and ours once", async () => {
    const folder = join(
      root,
      application({
        "src/pages/index.tsx":
          "import './page.css'; declare const colour: string; export default () => <p>{colour}</p>;",
        "src/pages/page.css": "p { color: red }",
        "src/pages/_layout.tsx":
          "import './layout.css'; export default ({ children }: { children: never }) => <html lang='en'><body>{children}</body></html>;",
        "src/pages/layout.css": "body { color: teal }",
        "vite.config.js": `import react from "@vitejs/plugin-react";
import { holdfast } from ${JSON.stringify(join(root, "src/exports/vite.ts"))};
export default { plugins: [react(), holdfast()], define: { colour: JSON.stringify("teal-from-config") }, build: { cssCodeSplit: true } };`,
      }),
    );
    const manifest = await buildApplication({ root: folder });
    const page = manifest.files.find(({ path }) => path.includes("/index-"));
    expect(readFileSync(join(folder, "dist", page?.file ?? ""), "utf8")).toContain("teal-from-config");
    await serving(folder, async (url) => {
      const document = await (await fetch(`${url}/`)).text();
      expect([...document.matchAll(/rel="stylesheet" href="\/_assets\/(\w+)-/g)].map(([, name]) => name)).toEqual([
        "entry",
        "pages",
      ]);
    });
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(join(dist, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dist, folder).length + 1));
}

function textOf(folder: string): string {
  return filesIn(folder)
    .map((file) => readFileSync(join(dist, folder, file), "latin1"))
    .join("\n");
}

async function serving(folder: string, use: (url: string) => Promise<void>): Promise<void> {
  const server = await startApplication({
    root: folder,
    port: 0,
    nextFreePort: false,
    host: "127.0.0.1",
    dataFolder: join(folder, ".holdfast/data"),
  });
  try {
    await use(server.url);
  } finally {
    await server.stop();
  }
}
