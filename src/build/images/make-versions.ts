import { createHash } from "node:crypto";
import type { Turns } from "#bounds";
import type { ReadImageSettings } from "#routes";
import type { Sharp, SharpImage } from "./load-sharp.ts";
import type { ImageFormat } from "./read-image.ts";
import type { VersionCache } from "./version-cache.ts";

type OutputFormat = "avif" | "webp" | "jpeg" | "png";

/** One file that is made of an image. */
export interface ImageVersion {
  format: OutputFormat;
  width: number;
  height: number;
  content: Buffer;
}

export interface ImageVersions {
  /** For browsers that show neither AVIF nor WebP, for feeds and previews of links. */
  fallback: ImageVersion;
  /** By format, best first; each with rising widths. */
  better: readonly (readonly ImageVersion[])[];
  /** A few pixels of it, as a WebP file. None for an image that one can see through. */
  preview: Buffer | undefined;
}

export interface EncodeDeps {
  sharp: Sharp;
  cache: VersionCache;
  settings: ReadImageSettings;
  /** Encodings at the same time. */
  turns: Turns;
}

export interface SourceImage {
  content: Buffer;
  format: ImageFormat;
}

/** Effort of AVIF from 0 to 9. Beyond 3, each step costs half as much time again for one or two per cent. */
const avifEffort = 3;
/** The preview is blurred by the browser, which enlarges it: eight pixels show where the light and the dark are. */
const previewWidth = 8;

/** Makes the files that browsers choose from. Throws what `sharp` says of an image that it cannot decode. */
export async function makeVersions(source: SourceImage, deps: EncodeDeps): Promise<ImageVersions> {
  const { settings } = deps;
  const { hasAlpha = false, autoOrient } = await open(source, deps).metadata();
  const sizeAt = (width: number): { width: number; height: number } => ({
    width,
    height: Math.max(1, Math.round((autoOrient.height * width) / autoOrient.width)),
  });
  const widest = Math.min(autoOrient.width, settings.widths.at(-1) ?? autoOrient.width);
  const widths = [...settings.widths.filter((width) => width < widest), widest];
  const encoder = new Encoder(source, deps);
  const fallbackFormat = hasAlpha || source.format === "png" || source.format === "gif" ? "png" : "jpeg";
  const [fallback, preview, ...better] = await Promise.all([
    encoder.encode(fallbackFormat, sizeAt(widest)),
    hasAlpha ? undefined : encoder.encode("webp", sizeAt(Math.min(previewWidth, widest)), 20),
    ...(["avif", "webp"] as const).map((format) =>
      Promise.all(widths.map((width) => encoder.encode(format, sizeAt(width)))),
    ),
  ]);
  // A drawing of few colours may be smallest as PNG.
  const worth = better.filter((versions) => (versions.at(-1)?.content.length ?? 0) < fallback.content.length);
  return { fallback, better: worth, preview: preview?.content };
}

function open({ content }: SourceImage, { sharp, settings }: EncodeDeps): SharpImage {
  return sharp(content, { limitInputPixels: settings.maxPixels, failOn: "warning" });
}

class Encoder {
  readonly #source: SourceImage;
  readonly #deps: EncodeDeps;
  /** Names the image and what encodes it. */
  readonly #key: string;

  constructor(source: SourceImage, deps: EncodeDeps) {
    const { sharp = "", vips } = deps.sharp.versions;
    this.#source = source;
    this.#deps = deps;
    this.#key = createHash("sha256").update(`${sharp} ${vips} ${avifEffort}\n`).update(source.content).digest("hex");
  }

  async encode(
    format: OutputFormat,
    size: { width: number; height: number },
    quality = qualityOf(format, this.#deps.settings),
  ): Promise<ImageVersion> {
    const { cache, turns } = this.#deps;
    const key = `${this.#key.slice(0, 40)}-${size.width}x${size.height}-${quality}.${format}`;
    const make = (): Promise<Buffer> =>
      written(
        open(this.#source, this.#deps)
          .autoOrient()
          .resize({ ...size, fit: "fill" }),
        format,
        quality,
      );
    const turn = await turns.run(() => cache.get(key, make));
    if (turn.kind === "refused") throw new Error("The queue of images is bounded, although a build knows all of them.");
    return { format, ...size, content: turn.value };
  }
}

function qualityOf(format: OutputFormat, { quality }: ReadImageSettings): number {
  return format === "png" ? 100 : quality[format];
}

function written(image: SharpImage, format: OutputFormat, quality: number): Promise<Buffer> {
  switch (format) {
    case "avif":
      return image.avif({ quality, effort: avifEffort }).toBuffer();
    case "webp":
      return image.webp({ quality }).toBuffer();
    case "jpeg":
      return image.jpeg({ quality, mozjpeg: true }).toBuffer();
    case "png":
      return image.png({ compressionLevel: 9 }).toBuffer();
  }
}
