import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { readImage } from "./read-image.ts";

const photo = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: "#36a", noise: { type: "gaussian", mean: 120, sigma: 40 } },
  });

const formats = {
  png: () => photo(120, 80).png().toBuffer(),
  jpeg: () => photo(120, 80).jpeg().toBuffer(),
  gif: () => photo(120, 80).gif({ effort: 1 }).toBuffer(),
  webp: () => photo(120, 80).webp().toBuffer(),
  avif: () => photo(120, 80).avif({ effort: 0 }).toBuffer(),
} as const;

const svg = (attributes: string) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}></svg>`);

const still = { kind: "image", isAnimated: false };

describe("the size of an image", () => {
  it.each(Object.entries(formats))("is read from a file of the format %s", async (format, make) => {
    expect(readImage(await make())).toEqual({ ...still, format, width: 120, height: 80 });
  });

  it("is read from a lossless WebP and one with transparency", async () => {
    expect(readImage(await photo(7, 9).webp({ lossless: true }).toBuffer())).toMatchObject({ width: 7, height: 9 });
    const clear = sharp({ create: { width: 33, height: 12, channels: 4, background: "#0008" } });
    expect(readImage(await clear.webp().toBuffer())).toMatchObject({ width: 33, height: 12 });
  });

  it("is that of the turned photo", async () => {
    for (const orientation of [1, 3, 6, 8]) {
      const size = orientation < 5 ? { width: 120, height: 80 } : { width: 80, height: 120 };
      expect(readImage(await photo(120, 80).withMetadata({ orientation }).jpeg().toBuffer())).toMatchObject(size);
    }
  });

  it("of a drawing is its own, or that of its view box", () => {
    expect(readImage(svg('width="40" height="30px"'))).toEqual({ ...still, format: "svg", width: 40, height: 30 });
    expect(readImage(svg('width="1in" viewBox="0 0 20 10"'))).toMatchObject({ width: 96, height: 48 });
    expect(readImage(svg('width="100%" height="100%" viewBox="0,0,20,10"'))).toMatchObject({ width: 20, height: 10 });
    expect(readImage(svg(""))).toEqual({ kind: "unreadable", why: "does not say how large it is" });
  });
});

it("an image with several frames is an animation", async () => {
  const frames = Buffer.concat([Buffer.alloc(8 * 8 * 3, 20), Buffer.alloc(8 * 8 * 3, 200)]);
  const animation = sharp(frames, { raw: { width: 8, height: 16, channels: 3, pageHeight: 8 } });
  for (const file of [await animation.clone().gif().toBuffer(), await animation.clone().webp().toBuffer()])
    expect(readImage(file)).toMatchObject({ width: 8, height: 8, isAnimated: true });
});

it.each(Object.entries(formats))("a %s file that is cut off is unreadable, wherever it ends", async (format, make) => {
  const whole = await make();
  for (let end = 64; end < whole.length - 1; end += Math.ceil(whole.length / 40))
    expect(readImage(whole.subarray(0, end))).toEqual({
      kind: "unreadable",
      why: `is cut off: its ${format} data is incomplete`,
    });
});

it("bytes that lie about lengths end the reading", async () => {
  const whole = await formats.jpeg();
  for (let at = 0; at < whole.length - 4; at += 7) {
    const broken = Buffer.from(whole);
    broken.fill(0xff, at, at + 4);
    expect(["image", "unreadable"]).toContain(readImage(broken).kind);
  }
  expect(readImage(Buffer.from("<html>"))).toEqual({
    kind: "unreadable",
    why: "is no PNG, JPEG, GIF, WebP, AVIF or SVG",
  });
  expect(readImage(Buffer.alloc(0)).kind).toBe("unreadable");
});
