import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Refusals } from "#bounds";
import { openSharedStore, type SharedBrowserFiles, type SharedStore } from "#service";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import { FileCache } from "../file-cache.ts";
import { readBuildFiles } from "./build-files.ts";
import { type SharingLimits, sharingLimits } from "./limits.ts";
import { SharedFiles } from "./shared-files.ts";

let postgres: TestPostgres;
let shared: SharedStore;
const folders: string[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  shared = await open(await postgres.newDatabase());
}, 120_000);
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
afterAll(async () => {
  await shared.close();
  await postgres[Symbol.asyncDispose]();
}, 120_000);

describe("files of other builds", { timeout: 60_000 }, () => {
  it("a file is sent as its own machine sends it: encoded, and to be cached for ever", async () => {
    const application = "encoded";
    const script = "export const shown = 1;".repeat(100);
    await add(application, "A", { "cart-AAAAAAAA.js": script });
    const { url } = await serving({ application });
    const response = await fetch(`${url}/_assets/cart-AAAAAAAA.js?x=1`, { headers: { "Accept-Encoding": "br" } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript",
      "content-encoding": "br",
      "content-length": String(brotliCompressSync(script).length),
      vary: "Accept-Encoding",
    });
    expect(await response.text()).toBe(script);
    const plain = await fetch(`${url}/_assets/cart-AAAAAAAA.js`, { headers: { "Accept-Encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toBe(script);
    const head = await fetch(`${url}/_assets/cart-AAAAAAAA.js`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("files are those of the three builds that were started last; files that only older ones have are deleted", async () => {
    const application = "newest";
    const common = { "react-CCCCCCCC.js": "same in all" };
    for (const build of ["A", "B", "C"])
      await add(application, build, { [`page-${build.repeat(8)}.js`]: build, ...common });
    expect(await add(application, "A", {})).toBe("known");
    await add(application, "D", { "page-DDDDDDDD.js": "D", ...common });
    expect(await shared.browserFiles.builds(application)).toEqual(["D", "A", "C"]);
    const { ask } = await serving({ application });
    expect(await ask("/_assets/page-AAAAAAAA.js")).toEqual([200, "A"]);
    expect(await ask("/_assets/react-CCCCCCCC.js")).toEqual([200, "same in all"]);
    expect((await ask("/_assets/page-BBBBBBBB.js"))[0]).toBe(404);
  });

  it("files belong to one application: another one on the same database does not send them", async () => {
    await add("shop", "A", { "cart-AAAAAAAA.js": "shop" });
    await add("admin", "A", { "secret-BBBBBBBB.js": "admin" });
    const { ask } = await serving({ application: "shop" });
    expect((await ask("/_assets/secret-BBBBBBBB.js"))[0]).toBe(404);
    expect((await ask("/_assets/cart-AAAAAAAA.js"))[0]).toBe(200);
  });

  it("unknown names cost the database one question in a while, however many there are", async () => {
    await add("flooded", "A", { "cart-AAAAAAAA.js": "cart" });
    const counted = counting(shared.browserFiles);
    let now = 0;
    const { ask } = await serving({ application: "flooded", files: counted.files, now: () => now });
    for (let name = 10_000_000; name < 10_000_200; name++) expect((await ask(`/_assets/x-${name}.js`))[0]).toBe(404);
    expect(counted.questions).toBe(2); // the builds, and the files of one
    now += sharingLimits.refreshMs;
    expect((await ask("/_assets/x-20000000.js"))[0]).toBe(404);
    expect(counted.questions).toBe(3); // the builds; the files of a known one never change
  });

  it("files have names of built files: other addresses never reach the database", async () => {
    const counted = counting(shared.browserFiles);
    const { ask } = await serving({ application: "names", files: counted.files });
    for (const address of [
      "/",
      "/_assets/",
      "/_assets/short-AA.js",
      "/_assets/../secret-AAAAAAAA.js",
      "/a-AAAAAAAA.js",
    ])
      expect((await ask(address))[0]).toBe(404);
    expect(counted.questions).toBe(0);
  });

  it("files are not available while the database is away, except those in memory", async () => {
    await add("away", "A", { "cart-AAAAAAAA.js": "cart", "other-BBBBBBBB.js": "other" });
    let isAway = false;
    const files = failingWhen(() => isAway, shared.browserFiles);
    const { ask } = await serving({ application: "away", files, limits: { refreshMs: 0 } });
    expect(await ask("/_assets/cart-AAAAAAAA.js")).toEqual([200, "cart"]);
    isAway = true;
    expect(await ask("/_assets/cart-AAAAAAAA.js")).toEqual([200, "cart"]);
    expect((await ask("/_assets/other-BBBBBBBB.js"))[0]).toBe(503);
    expect((await ask("/_assets/unknown-CCCCCCCC.js"))[0]).toBe(503);
    isAway = false;
    expect(await ask("/_assets/other-BBBBBBBB.js")).toEqual([200, "other"]);
  });

  it("files take a bounded part of the memory: a client that holds its share gets no more", async () => {
    await add("large", "A", { "large-AAAAAAAA.js": "x".repeat(2_000) });
    const { ask, refusals } = await serving({ application: "large", limits: { clientBytes: 1_999 } });
    expect((await ask("/_assets/large-AAAAAAAA.js"))[0]).toBe(503);
    expect([...refusals.totals]).toEqual([["shared-files", 1]]);
    const enough = await serving({ application: "large", limits: { clientBytes: 2_000 } });
    for (let times = 0; times < 3; times++) expect((await enough.ask("/_assets/large-AAAAAAAA.js"))[0]).toBe(200);
  });
});

describe("storing a build", { timeout: 60_000 }, () => {
  it("a build leaves out what has no room, and scripts come first", async () => {
    const dist = build("A", { "photo-AAAAAAAA.png": "p".repeat(50), "cart-BBBBBBBB.js": "c".repeat(1_000) });
    const stored = async (limits: Partial<SharingLimits>) => {
      const leftOut: string[] = [];
      const deps = {
        limits: { ...sharingLimits, ...limits },
        onLeftOut: (paths: readonly string[]) => leftOut.push(...paths),
      };
      const paths = [];
      for await (const file of readBuildFiles(dist, deps)) paths.push(file.path);
      return { paths, leftOut };
    };
    expect(await stored({})).toEqual({
      paths: ["/_assets/cart-BBBBBBBB.js", "/_assets/photo-AAAAAAAA.png"],
      leftOut: [],
    });
    expect(await stored({ buildBytes: 1_040 })).toEqual({
      paths: ["/_assets/cart-BBBBBBBB.js"],
      leftOut: ["/_assets/photo-AAAAAAAA.png"],
    });
    expect(await stored({ fileBytes: 999 })).toEqual({
      paths: ["/_assets/photo-AAAAAAAA.png"],
      leftOut: ["/_assets/cart-BBBBBBBB.js"],
    });
  });

  it("a build is stored once by all processes that start together", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const one = await open(await sameAddress);
        onTestFinished(() => one.close());
        return add("together", "A", { "cart-AAAAAAAA.js": "cart" }, one);
      }),
    );
    expect(outcomes.sort()).toEqual(["added", "known", "known", "known"]);
  });
});

describe("the memory of files", () => {
  it("the memory forgets what was not used for longest, and reads a file once for requests at the same time", async () => {
    const cache = new FileCache(20);
    const read: string[] = [];
    const get = (key: string) =>
      cache.get(key, async () => {
        read.push(key);
        return Buffer.alloc(8);
      });
    await Promise.all([get("a"), get("a")]);
    await get("b");
    await get("a");
    await get("c");
    await get("a");
    expect(read).toEqual(["a", "b", "c"]);
    await get("b");
    expect(read).toEqual(["a", "b", "c", "b"]);
  });
});

let sameAddress: Promise<string>;
beforeAll(() => {
  sameAddress = postgres.newDatabase();
});

async function open(address: string): Promise<SharedStore> {
  const store = await openSharedStore({ kind: "postgres", address, writer: "test" });
  if (store === undefined) throw new Error("a database is shared");
  return store;
}

/** A folder as `holdfast build` writes it. */
function build(name: string, files: Readonly<Record<string, string>>): string {
  const dist = mkdtempSync(path.join(tmpdir(), "holdfast-build-"));
  folders.push(dist);
  mkdirSync(path.join(dist, "browser/_assets"), { recursive: true });
  const listed = Object.entries(files).map(([file, text]) => {
    const isScript = file.endsWith(".js");
    writeFileSync(path.join(dist, "browser/_assets", file), text);
    if (isScript) writeFileSync(path.join(dist, "browser/_assets", `${file}.br`), brotliCompressSync(text));
    const type = isScript ? "text/javascript" : "image/png";
    const encodings = isScript ? ["br"] : [];
    return { path: `/_assets/${file}`, file: `browser/_assets/${file}`, type, encodings, immutable: true };
  });
  writeFileSync(path.join(dist, "manifest.json"), JSON.stringify({ build: name, files: listed, earlier: [] }));
  return dist;
}

function add(application: string, name: string, files: Readonly<Record<string, string>>, store = shared) {
  const dist = build(name, files);
  return store.browserFiles.addBuild({ application, build: name }, () =>
    readBuildFiles(dist, { limits: sharingLimits, onLeftOut: () => undefined }),
  );
}

interface Serving {
  application: string;
  files?: SharedBrowserFiles;
  limits?: Partial<SharingLimits>;
  now?: () => number;
}

/** Answers what is not shared with 404, as the pages do. */
async function serving({ application, files = shared.browserFiles, limits, now = () => performance.now() }: Serving) {
  const refusals = new Refusals();
  const sharedFiles = new SharedFiles({
    files,
    application,
    limits: { ...sharingLimits, ...limits },
    clientOf: () => "client",
    refusals,
    now,
  });
  const server = createServer(async (incoming, response) => {
    if (sharedFiles.mayHave(incoming) && (await sharedFiles.serve({ incoming, response }))) return;
    response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (address: string): Promise<[number, string]> => {
    const response = await fetch(url + address);
    return [response.status, await response.text()];
  };
  return { url, ask, refusals };
}

function counting(files: SharedBrowserFiles) {
  const counted = {
    questions: 0,
    files: wrapped(files, () => {
      counted.questions += 1;
    }),
  };
  return counted;
}

function failingWhen(isAway: () => boolean, files: SharedBrowserFiles): SharedBrowserFiles {
  return wrapped(files, () => {
    if (isAway()) throw new Error("the database is away");
  });
}

function wrapped(files: SharedBrowserFiles, before: () => void): SharedBrowserFiles {
  return {
    addBuild: (...build) => files.addBuild(...build),
    builds: async (application) => {
      before();
      return files.builds(application);
    },
    filesOf: async (name) => {
      before();
      return files.filesOf(name);
    },
    content: async (file) => {
      before();
      return files.content(file);
    },
  };
}
