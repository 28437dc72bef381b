import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openReader } from "../open-reader.ts";
import { openService, type Service } from "../open-service.ts";
import { createServiceServer } from "../serve.ts";
import type { StoreReader } from "../stores/store.ts";
import { aBundle, aMap, type Upload, uploadForm, uploadOf } from "./bundles/bundle-examples.ts";
import { uploadLimits } from "./limits.ts";
import { createUploadToken } from "./upload-tokens.ts";

let folder: string;
let service: Service;
let origin: string;
let reader: StoreReader;
let tokens: readonly string[];
let closeServer: () => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-uploads-"));
  service = await openService({ dataFolder: folder });
  await service.projects.add("Shop");
  tokens = await Promise.all(
    [1, 2].map(async (id) => {
      const made = await createUploadToken(service.projects, id, { name: "tests", now: 1 });
      return made.kind === "created" ? made.token : expect.fail(made.why);
    }),
  );
  const server = createServiceServer(service).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closeServer = () => server.close().closeAllConnections();
  reader = await openReader(folder);
});

afterEach(async () => {
  reader.close();
  closeServer();
  await service.close();
  rmSync(folder, { recursive: true });
});

interface Sent {
  method?: string;
  token?: string | undefined;
  json?: unknown;
  body?: Uint8Array<ArrayBuffer> | FormData;
  headers?: Record<string, string>;
}

async function send(path: string, { method, token = tokens[1], json, body, headers }: Sent = {}) {
  const response = await fetch(`${origin}/api/0/${path}`, {
    method: method ?? (json === undefined && body === undefined ? "GET" : "POST"),
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(body !== undefined && { body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Debug ids of the maps that a project has. */
async function storedMaps(project: number, ...debugIds: string[]): Promise<string[]> {
  const { body } = await send(`builds/${project}/`, { token: tokens[project - 1], json: { debugIds } });
  return debugIds.filter((id) => !(body.missing as string[]).includes(id));
}

const [cart, shop] = ["c".repeat(32), "d".repeat(32)] as const;

describe("the build of a Holdfast application", () => {
  it("is announced with its maps and commits, of which the service takes those that are missing", async () => {
    const commits = [{ hash: "a".repeat(40), author: "Jo", at: 5, subject: "cart: totals", files: ["src/cart.ts"] }];
    const build = { build: "b1", release: "1.0.0", commits, debugIds: [cart, shop] };
    expect(await send("builds/2/")).toEqual({ status: 200, body: { service: "holdfast" } });
    expect((await send("builds/2/", { json: build })).body).toEqual({ service: "holdfast", missing: [cart, shop] });
    for (const id of [cart, shop])
      expect(await send(`builds/2/${id}/?build=b1`, { method: "PUT", body: gzipSync(aMap(id)) })).toMatchObject({
        status: 200,
      });
    expect((await send("builds/2/", { json: build })).body).toEqual({ service: "holdfast", missing: [] });
    expect(await reader.commits(2, "1.0.0")).toEqual(commits);
    expect(await reader.commits(1, "1.0.0")).toEqual([]);
  });

  it("is refused without a token, with the key of the project, and with the token of another project", async () => {
    const key = service.projects.byId(2)?.publicKey ?? "";
    const put = (token: string, headers = {}) =>
      send(`builds/2/${cart}/`, { method: "PUT", token, body: gzipSync(aMap(cart)), headers });
    expect((await put("")).status).toBe(401);
    expect((await put(key)).status).toBe(401);
    expect((await put("", { "x-sentry-auth": `Sentry sentry_key=${key}` })).status).toBe(401);
    expect(await put(tokens[0] ?? "")).toMatchObject({
      status: 403,
      body: { detail: "The token is for project 1 (My application), and the request names 2." },
    });
    expect((await send("builds/2/", { token: tokens[0], json: { debugIds: [cart] } })).status).toBe(403);
    expect([await storedMaps(1, cart), await storedMaps(2, cart)]).toEqual([[], []]);
  });

  it("is taken with a token that has the scope upload, and refused with other scopes and projects", async () => {
    const secretOf = async (project: number, scope: "read" | "upload"): Promise<string> => {
      const owner = { kind: "project", project } as const;
      const made = await service.shared.tokens.create(owner, { name: scope, scopes: [scope] }, "tests");
      return made.kind === "created" ? made.secret : expect.fail(made.why);
    };
    const announce = (token: string) => send("builds/2/", { token, json: { debugIds: [cart] } });
    const own = await secretOf(2, "upload");
    expect(await announce(own)).toMatchObject({ status: 200, body: { missing: [cart] } });
    expect(await announce(await secretOf(2, "read"))).toMatchObject({ status: 403 });
    expect(await announce(await secretOf(1, "upload"))).toMatchObject({
      status: 403,
      body: { detail: "The token is for project 1 (My application), and the request names 2." },
    });
    const [token] = await service.shared.tokens.list({ kind: "project", project: 2 });
    expect(token?.used).toBeGreaterThan(0);
    const uploads = await service.shared.tokens.list({ kind: "project", project: 2 });
    const { id = 0 } = uploads.find(({ name }) => name === "upload") ?? {};
    await service.shared.tokens.revoke({ kind: "project", project: 2 }, id, "tests");
    expect((await announce(own)).status).toBe(401);
  });

  it("with a map that is too large, damaged or not compressed is refused", async () => {
    const put = (body: Uint8Array<ArrayBuffer>) => send(`builds/2/${cart}/`, { method: "PUT", body });
    expect((await put(gzipSync(Buffer.alloc(uploadLimits.mapBytes + 1)))).status).toBe(400);
    expect((await put(Buffer.from(aMap(cart)))).status).toBe(400);
    expect((await put(Buffer.alloc(uploadLimits.bodyBytes + 1))).status).toBe(413);
    expect((await send("builds/2/", { json: { debugIds: ["no id"] } })).status).toBe(400);
    expect((await send("builds/2/", { json: { debugIds: Array(uploadLimits.files + 1).fill(cart) } })).status).toBe(
      400,
    );
    expect(await storedMaps(2, cart)).toEqual([]);
  });
});

describe("sentry-cli", () => {
  const assemble = ({ checksum, chunks }: Upload, more: object = {}, token = tokens[1]) =>
    send("organizations/any/artifactbundle/assemble/", {
      token,
      json: { checksum, chunks: chunks.map(({ hash }) => hash), projects: ["2"], version: "1.0.0", ...more },
    });
  const uploadChunks = (upload: Upload, token = tokens[1]) =>
    send("organizations/any/chunk-upload/", { token, body: uploadForm(upload) });

  it("learns how to upload, uploads the missing chunks, and has the bundle assembled", async () => {
    const options = (headers: Record<string, string>) => send("organizations/any/chunk-upload/", { headers });
    expect((await options({})).body.url).toBe(`${origin}/api/0/organizations/any/chunk-upload/`);
    expect((await options({ "x-forwarded-proto": "https", "x-forwarded-host": "errors.example" })).body.url).toBe(
      "https://errors.example/api/0/organizations/any/chunk-upload/",
    );
    expect((await options({ "user-agent": "sentry-cli/3.8.0" })).body).toMatchObject({
      url: "/organizations/any/chunk-upload/",
      chunkSize: 1_048_576,
      hashAlgorithm: "sha1",
    });
    const upload = uploadOf(aBundle([cart, shop]), 300);
    const hashes = upload.chunks.map(({ hash }) => hash);
    expect((await assemble(upload)).body).toMatchObject({ state: "not_found", missingChunks: hashes });
    expect((await uploadChunks({ ...upload, chunks: upload.chunks.slice(0, 1) })).status).toBe(200);
    expect((await assemble(upload)).body).toMatchObject({ state: "not_found", missingChunks: hashes.slice(1) });
    expect((await uploadChunks({ ...upload, chunks: upload.chunks.slice(1) })).status).toBe(200);
    expect((await assemble(upload)).body).toMatchObject({ state: "ok", missingChunks: [] });
    // Again, as after a lost response.
    expect((await assemble(upload)).body).toMatchObject({ state: "ok" });
    expect(await storedMaps(2, cart, shop)).toEqual([cart, shop]);
    expect(await storedMaps(1, cart, shop)).toEqual([]);
  });

  it("with the token of one project neither writes to another nor learns what it has", async () => {
    const upload = uploadOf(aBundle([cart]), 300);
    await uploadChunks(upload);
    expect((await assemble(upload, {}, tokens[0])).status).toBe(403);
    const { body } = await assemble(upload, { projects: ["1"] }, tokens[0]);
    expect(body).toMatchObject({ state: "not_found", missingChunks: upload.chunks.map(({ hash }) => hash) });
    expect((await assemble(upload, { projects: ["shop"] })).body).toMatchObject({ state: "ok" });
    expect((await assemble(upload, { projects: ["1"] }, tokens[0])).body).toMatchObject({ state: "not_found" });
    expect([await storedMaps(1, cart), await storedMaps(2, cart)]).toEqual([[], [cart]]);
  });

  it("is told what is wrong with a bundle, and nothing of it is stored", async () => {
    const refused = async (upload: Upload): Promise<unknown> => {
      await uploadChunks(upload);
      const { body } = await assemble(upload);
      return body.state === "error" ? body.detail : body;
    };
    const whole = aBundle([cart]);
    expect(await refused(uploadOf(Buffer.from("no archive"), 300))).toContain("it is not a ZIP archive");
    expect(await refused(uploadOf(aBundle([cart], { withIds: false }), 300))).toContain("sentry-cli sourcemaps inject");
    expect(await refused(uploadOf(aBundle([cart], { claimedBytes: 2 ** 31 }), 300))).toContain(
      "more than 67108864 bytes",
    );
    expect(await refused(uploadOf(aBundle([cart], { claimedBytes: 10 }), 300))).toContain("is damaged");
    expect(await refused({ ...uploadOf(whole, 300), checksum: "0".repeat(40) })).toContain(
      "not what its checksum says",
    );
    const tooMany = { checksum: "0".repeat(40), chunks: Array(66).fill({ hash: "0".repeat(40), content: whole }) };
    expect((await assemble(tooMany)).body).toMatchObject({
      state: "error",
      detail: "A bundle has at most 67108864 bytes.",
    });
    expect(await storedMaps(2, cart)).toEqual([]);
  });

  it("is refused with chunks that are too large, too many or not what their name says", async () => {
    const content = Buffer.from("content");
    const hash = createHash("sha1").update(content).digest("hex");
    const status = async (chunks: Upload["chunks"]) => (await uploadChunks({ checksum: "", chunks })).status;
    expect(await status([{ hash: "0".repeat(40), content }])).toBe(400);
    expect(await status(Array(9).fill({ hash, content }))).toBe(400);
    const large = Buffer.alloc(uploadLimits.chunkBytes + 1);
    expect(await status([{ hash: createHash("sha1").update(large).digest("hex"), content: large }])).toBe(400);
    expect((await send("organizations/any/chunk-upload/", { body: Buffer.from("no form") })).status).toBe(400);
  });

  it("creates releases, sets their commits without mail addresses, finishes them and lists their deploys", async () => {
    const commit = {
      id: "a".repeat(40),
      author_name: "Jo",
      author_email: "jo@example.org",
      timestamp: "2026-11-16T16:31:21Z",
      message: "cart: totals\n\nlong",
      patch_set: [{ path: "src/cart.ts", type: "M" }],
    };
    const release = { version: "1.0.0", projects: [2] };
    expect(await send("organizations/any/releases/", { json: release })).toMatchObject({
      status: 201,
      body: { version: "1.0.0", newGroups: 0 },
    });
    expect((await send("organizations/any/releases/", { json: { ...release, projects: [1] } })).status).toBe(403);
    expect((await send("organizations/any/releases/1.0.0/previous-with-commits/")).body).toEqual({});
    expect((await send("organizations/any/repos/?cursor=")).body).toEqual([]);
    const change = (json: object) => send("organizations/any/releases/1.0.0/", { method: "PUT", json });
    expect((await change({ commits: [commit] })).status).toBe(200);
    expect((await change({ projects: ["2"], dateReleased: "2026-11-16T16:31:27Z" })).status).toBe(200);
    expect(await reader.commits(2, "1.0.0")).toEqual([
      {
        hash: commit.id,
        author: "Jo",
        at: Date.UTC(2026, 10, 16, 16, 31, 21),
        subject: "cart: totals",
        files: ["src/cart.ts"],
      },
    ]);
    const deploys = "organizations/any/releases/1.0.0/deploys/";
    const deploy = { environment: "production", name: null, url: null, dateFinished: "2026-11-16T16:31:27.000Z" };
    for (let n = 0; n < 2; n++) expect((await send(deploys, { json: deploy })).status).toBe(201);
    expect((await send(deploys)).body).toEqual([{ ...deploy, dateStarted: null }]);
    expect((await send(deploys, { token: tokens[0] })).body).toEqual([]);
  });

  it("lists the releases that were reported or deployed, and describes each with its commits", async () => {
    const list = async () => (await send("projects/any/2/releases/")).body;
    expect(await list()).toEqual([]);
    const timestamp = Math.floor(Date.now() / 1_000) - 60;
    const event = { event_id: newEventId(), release: "1.1.0", message: "boom", timestamp };
    await service.accept(2, writeEnvelope({ eventId: event.event_id }, [jsonItem("event", event)]));
    const finished = "2026-11-01T12:00:00.000Z";
    for (const [release, at] of [
      ["1.0.0", finished],
      ["1.0.0", "2026-11-02T12:00:00.000Z"],
      ["1.1.0", "2026-11-03T12:00:00.000Z"],
    ])
      await send(`organizations/any/releases/${release}/deploys/`, {
        json: { environment: "production", dateFinished: at },
      });
    const commits = [{ id: "b".repeat(40), author_name: "Jo", message: "cart: totals" }];
    await send("organizations/any/releases/1.1.0/", { method: "PUT", json: { commits } });
    await service.drained();
    const projects = [{ id: 2, slug: "2", name: "Shop" }];
    const older = { version: "1.0.0", dateCreated: finished, dateReleased: finished, lastEvent: null, newGroups: 0 };
    const seen = new Date(timestamp * 1_000).toISOString();
    const newer = { version: "1.1.0", dateCreated: seen, dateReleased: seen, lastEvent: seen, newGroups: 1 };
    expect(await list()).toEqual([
      { ...newer, projects },
      { ...older, projects },
    ]);
    expect((await send("organizations/any/releases/")).body).toEqual(await list());
    expect((await send("organizations/any/releases/1.1.0/")).body).toEqual({ ...newer, projects });
    expect((await send("organizations/any/releases/1.1.0/commits/")).body).toEqual([
      { id: "b".repeat(40), message: "cart: totals" },
    ]);
    expect(await send("organizations/any/releases/2.0.0/")).toEqual({
      status: 404,
      body: { detail: "No report and no deploy has named this release." },
    });
  });

  it("lists at most a hundred releases", async () => {
    await service.shared.deploys.add({ project: 2, release: "first", environment: "a", at: 1 }, 1_000);
    const many = Array.from({ length: uploadLimits.releases }, (_, n) => `1.${n}`);
    for (const [n, release] of many.entries())
      await service.shared.deploys.add({ project: 2, release, environment: "a", at: n + 2 }, 1_000);
    const { body } = await send("projects/any/shop/releases/");
    expect(body).toHaveLength(uploadLimits.releases);
    expect(body).not.toContainEqual(expect.objectContaining({ version: "first" }));
  });

  it("with the token of one project lists and changes no release of another", async () => {
    const [token] = tokens;
    for (const path of ["releases/", "releases/1.0.0/", "releases/1.0.0/commits/", "releases/1.0.0/deploys/"])
      expect((await send(`projects/any/2/${path}`, { token })).status, path).toBe(403);
    const change = { method: "PUT", token, json: { commits: [{ id: "b".repeat(40) }] } };
    expect((await send("projects/any/2/releases/1.0.0/", change)).status).toBe(403);
    await send("organizations/any/releases/1.0.0/deploys/", { json: { environment: "production" } });
    expect((await send("organizations/any/releases/", { token })).body).toEqual([]);
    expect((await send("organizations/any/releases/1.0.0/", { token })).status).toBe(404);
  });

  it("is refused everything without a valid token", async () => {
    for (const path of ["", "organizations/any/chunk-upload/", "organizations/any/releases/1.0.0/deploys/"])
      expect(await send(path, { token: "f".repeat(64) })).toMatchObject({
        status: 401,
        body: { detail: expect.stringContaining("Create one in the settings of the project") },
      });
    expect((await send("")).status).toBe(200);
    expect((await send("projects/any/2/files/difs/assemble/", { json: {} })).status).toBe(404);
    expect((await send("organizations/any/%zz/")).status).toBe(404);
    expect((await send("organizations/any/artifactbundle/assemble/")).status).toBe(405);
  });
});
