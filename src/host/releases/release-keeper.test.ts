import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { healingLimits } from "./limits.ts";
import { ReleaseFolder } from "./release-folder.ts";
import { ReleaseKeeper } from "./release-keeper.ts";
import type { FromKeeper, ServedRelease } from "./release-messages.ts";
import { pinRoute, readReleaseStatus } from "./release-status.ts";

let dataFolder: string;
let now: number;

beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), "holdfast-releases-"));
  now = Date.now();
});
afterEach(() => rmSync(dataFolder, { recursive: true }));

describe("releases on one machine", () => {
  it("a release that breaks a route is measured by the one before, whose build is kept; older ones are removed", async () => {
    for (const name of ["1.0", "2.0"]) await serveOnce(name, { requests: 100, failures: 0 });
    expect(builds()).toEqual({ "1.0": true, "2.0": true });
    const third = await serve("3.0");
    expect(builds()).toEqual({ "1.0": false, "2.0": true, "3.0": true });
    third.count(5, 5);
    await third.gets({ kind: "release-routes", routes: [{ route: "/cart", isTried: false }] });
    await third.gets({ kind: "release-changed", notice: { kind: "healed" }, before: { name: "2.0" } });
    await third.keeper.close();
    // A restart goes on as it was, and the next release is measured by the last one that had all its routes.
    const again = await serve("3.0");
    await again.gets({ kind: "release-routes", routes: [{ route: "/cart", isTried: false }] });
    await again.keeper.close();
    const fourth = await serve("4.0");
    await fourth.gets({ kind: "release-routes", routes: [], before: { name: "2.0" } });
    await fourth.keeper.close();
    expect(builds()).toMatchObject({ "2.0": true, "3.0": false, "4.0": true });
  });

  it.each([
    ["another version of the framework", { holdfast: "0.0.1" }, "1.0 was built with Holdfast 9.9.9"],
    ["another form of the stored data", { data: "8" }, "releases.data has changed"],
    ["a setting that only warns", { healing: "warn" as const }, 'releases.healing is "warn"'],
  ])("a route is not healed across %s, and an issue says so", async (_what, change, why) => {
    await serveOnce("1.0", { requests: 100, failures: 0 });
    const second = await serve("2.0", change);
    second.count(5, 5);
    await second.gets({ kind: "release-changed", notice: { kind: "not-healed", why } });
    await second.keeper.close();
    expect((await readReleaseStatus(dataFolder))?.routes).toMatchObject([
      { route: "/cart", remark: `not healed: ${why}` },
    ]);
  });

  it("processes that were started one by one adopt what one of them has decided", async () => {
    await serveOnce("1.0", { requests: 100, failures: 0 });
    const [one, two] = [await serve("2.0"), await serve("2.0")];
    one.count(5, 5);
    await two.gets({ kind: "release-routes", routes: [{ route: "/cart", isTried: false }] });
    expect(two.messages.some(({ kind }) => kind === "release-changed")).toBe(false);
    await one.keeper.close();
    await two.keeper.close();
  });

  it("an operator pins a route, and takes it back", async () => {
    await serveOnce("1.0", { requests: 100, failures: 0 });
    const second = await serve("2.0");
    second.count(1, 0);
    await second.keeper.close();
    await expect(pinRoute(dataFolder, { route: "/none", to: "new", now })).rejects.toThrow("unknown-route");
    const third = await serve("2.0");
    await pinRoute(dataFolder, { route: "/cart", to: "before", now });
    await third.gets({ kind: "release-routes", routes: [{ route: "/cart", isTried: false }] });
    await pinRoute(dataFolder, { route: "/cart", to: undefined, now });
    await expect.poll(() => third.messages.at(-1)).toMatchObject({ kind: "release-routes", routes: [] });
    await third.keeper.close();
  });

  it("a data folder that cannot be written is said once, and stops nothing", async () => {
    writeFileSync(path.join(dataFolder, "releases"), "not a folder");
    const first = await serve("1.0");
    first.count(1, 0);
    await first.keeper.close();
    expect(first.warnings).toEqual(["The folder of releases cannot be used:"]);
  });

  it("a build that is too large is not kept, and a note that cannot be read is none", async () => {
    const first = await serve("1.0", { buildBytes: 5 });
    await expect.poll(() => first.warnings).toEqual([expect.stringContaining("limits.keptBuildBytes")]);
    await first.keeper.close();
    expect(builds()).toEqual({ "1.0": false });
    writeFileSync(path.join(dataFolder, "releases/1.0/note.json"), '{"key":"1.0","counts":{"/cart":5}}');
    expect(await new ReleaseFolder(dataFolder).notes()).toEqual([]);
  });
});

/** Serves a release, and stops. */
async function serveOnce(name: string, tally: { requests: number; failures: number }): Promise<void> {
  const { keeper, count } = await serve(name, { holdfast: "9.9.9", data: "7" });
  count(tally.requests, tally.failures);
  await keeper.close();
}

async function serve(name: string, change: Partial<ServedRelease> = {}) {
  now += 1_000;
  const messages: FromKeeper[] = [];
  const warnings: string[] = [];
  const keeper = new ReleaseKeeper({
    dataFolder,
    now: () => now,
    warn: (sentence) => warnings.push(sentence),
    send: (message) => messages.push(message),
  });
  const release: ServedRelease = {
    ...{ key: name, name, build: name, holdfast: "9.9.9", data: "7", healing: "heal", dist: distOf(name) },
    ...{ firstWaitMs: healingLimits.firstWaitMs, buildBytes: 1_000_000, ...change },
  };
  keeper.receive({ kind: "release-served", release });
  const gets = (message: object): Promise<void> =>
    expect.poll(() => messages, { timeout: 10_000 }).toContainEqual(expect.objectContaining(nested(message)));
  await gets({ kind: "release-routes" });
  const isKept = (): boolean => builds()[name] === true || release.healing === "warn" || warnings.length > 0;
  await expect.poll(isKept).toBe(true);
  const count = (requests: number, failures: number): void =>
    keeper.receive({
      ...{ kind: "release-counts", key: name },
      counts: [{ route: "/cart", on: "new", tally: { requests, failures }, triable: failures }],
    });
  return { keeper, messages, warnings, gets, count };
}

function nested(message: object): Record<string, unknown> {
  const isPlain = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name, isPlain(value) ? expect.objectContaining(value) : value]),
  );
}

/** Whether each release that ever was here has its build. */
function builds(): Record<string, boolean> {
  return Object.fromEntries(
    ["1.0", "2.0", "3.0", "4.0"]
      .filter((name) => existsSync(path.join(dataFolder, "dist", name)))
      .map((name) => {
        const kept = path.join(dataFolder, "releases", name, "build/server/application.js");
        return [name, existsSync(kept) && readFileSync(kept, "utf8") === name];
      }),
  );
}

/** A folder as `holdfast build` writes it. */
function distOf(name: string): string {
  const dist = path.join(dataFolder, "dist", name);
  mkdirSync(path.join(dist, "server"), { recursive: true });
  mkdirSync(path.join(dist, "browser/_assets"), { recursive: true });
  writeFileSync(path.join(dist, "server/application.js"), name);
  writeFileSync(path.join(dist, "browser/_assets/entry-AAAAAAAA.js"), "entry");
  writeFileSync(path.join(dist, "release.txt"), `${name}\n`);
  const file = { path: "/_assets/entry-AAAAAAAA.js", file: "browser/_assets/entry-AAAAAAAA.js" };
  const files = [{ ...file, type: "text/javascript", encodings: [], immutable: true }];
  writeFileSync(path.join(dist, "manifest.json"), JSON.stringify({ build: name, files, earlier: [], chunks: [[]] }));
  return dist;
}
