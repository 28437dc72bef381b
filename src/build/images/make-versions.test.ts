import { mkdtemp, readdir, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { beforeEach, describe, expect, it } from "vitest";
import { Turns } from "#bounds";
import { readImageSettings } from "#routes";
import { loadSharp, type Sharp, type SharpImage } from "./load-sharp.ts";
import { type EncodeDeps, makeVersions } from "./make-versions.ts";
import { VersionCache } from "./version-cache.ts";

const settings = readImageSettings({ widths: [20, 40, 400] });
let folder: string;
let cache: VersionCache;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-images-"));
  cache = new VersionCache(folder);
});

/** Counts what is encoded, and how much of it at the same time. */
function counted(): { deps: EncodeDeps; counts: { made: number; most: number } } {
  const counts = { made: 0, running: 0, most: 0 };
  const count = (input: Buffer, options: Parameters<Sharp>[1]): SharpImage => {
    const image = sharp(input, options);
    const toBuffer = image.toBuffer.bind(image);
    return Object.assign(image, {
      toBuffer: async () => {
        counts.made += 1;
        counts.most = Math.max(counts.most, ++counts.running);
        return await toBuffer().finally(() => counts.running--);
      },
    });
  };
  const counting: Sharp = Object.assign(count, { concurrency: sharp.concurrency, versions: sharp.versions });
  const turns = new Turns({ atOnce: 2, waiting: Number.POSITIVE_INFINITY });
  return { deps: { sharp: counting, cache, settings, turns }, counts };
}

const noisy = (channels: 3 | 4) =>
  sharp({ create: { width: 90, height: 60, channels, background: { r: 9, g: 99, b: 200, alpha: 0.5 } } });

describe("versions of an image", () => {
  it("versions of an image are as wide as the settings say, and never wider than the image", async () => {
    const { deps, counts } = counted();
    const content = await noisy(3).jpeg({ quality: 100 }).toBuffer();
    const { fallback, better, preview } = await makeVersions({ content, format: "jpeg" }, deps);
    expect(fallback).toMatchObject({ format: "jpeg", width: 90, height: 60 });
    for (const versions of better) expect(versions.map(({ width }) => width)).toEqual([20, 40, 90]);
    expect((await sharp(preview).metadata()).width).toBe(8);
    // Two formats in three widths, the fallback and the preview.
    expect(counts).toMatchObject({ made: 8, most: 2 });
  });

  it("versions of an image are made once for equal content", async () => {
    const content = await noisy(3).png().toBuffer();
    const first = await makeVersions({ content, format: "png" }, counted().deps);
    const { deps, counts } = counted();
    expect(await makeVersions({ content, format: "png" }, deps)).toEqual(first);
    expect(counts.made).toBe(0);
    expect((await readdir(folder)).filter((name) => name.endsWith(".growing"))).toEqual([]);
    const further = { ...deps, settings: readImageSettings({ widths: [20, 40, 400], quality: { avif: 30 } }) };
    await makeVersions({ content, format: "png" }, further);
    expect(counts.made).toBe(3);
  });

  it("versions of an image have no preview where one sees through them, and stay PNG", async () => {
    const content = await noisy(4).png().toBuffer();
    const { fallback, preview } = await makeVersions({ content, format: "png" }, counted().deps);
    expect(preview).toBeUndefined();
    expect(fallback.format).toBe("png");
  });
});

it("what no build has used for a month is removed", async () => {
  await cache.get("old", async () => Buffer.from("a"));
  await cache.get("new", async () => Buffer.from("b"));
  const old = new Date(Date.now() - 31 * 86_400_000);
  await utimes(join(folder, "old"), old, old);
  await cache.removeUnused();
  expect(await readdir(folder)).toEqual(["new"]);
});

it("sharp is the application's own, and may be missing", async () => {
  expect(await loadSharp(folder)).toEqual({ kind: "missing" });
  expect((await loadSharp(import.meta.dirname)).kind).toBe("loaded");
});
