import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, parse, relative } from "node:path";
import type { Plugin, ResolvedConfig } from "vite";
import { Turns } from "#bounds";
import type { ReadImageSettings } from "#routes";
import { slashed } from "../application-files.ts";
import { assetsFolderOf } from "../environments.ts";
import { buildErrors } from "../errors.ts";
import { loadSharp } from "./load-sharp.ts";
import { type EncodeDeps, type ImageVersion, makeVersions } from "./make-versions.ts";
import { type ReadImage, readImage } from "./read-image.ts";
import { unsafeInSvg } from "./svg-file.ts";
import { VersionCache } from "./version-cache.ts";

/** What a module gets that imports an image. The same shape as `ImageFile` of pages. */
interface ImportedImage {
  src: string;
  width: number;
  height: number;
  sources: { type: string; srcSet: string }[];
  preview?: string;
}

interface BuiltImage {
  imported: ImportedImage;
  /** Files by their name in the output. */
  files: ReadonlyMap<string, Buffer>;
}

export interface ImageDeps {
  root: string;
  /** Path below which the application lives. */
  at: string;
  settings: ReadImageSettings;
}

const imageImport = /\.\w+\?image$/;
/** An encoder needs the decoded image in memory, so a machine with many cores does not use all of them. */
const mostAtOnce = 4;

/**
 * `import photo from "./photo.jpg?image"` gives the address of the image, its size and its versions for `<Image>`. The
 * build makes them; in development there is the file itself.
 */
export function imageImports(deps: () => ImageDeps): Plugin {
  let config: ResolvedConfig;
  let encodeDeps: Promise<EncodeDeps | undefined> | undefined;
  /** Both sides of a build import the same images. */
  const built = new Map<string, Promise<BuiltImage>>();

  return {
    name: "holdfast:image-imports",
    sharedDuringBuild: true,
    enforce: "pre",
    configResolved(resolved) {
      config = resolved;
    },
    load: {
      filter: { id: imageImport },
      async handler(id) {
        const file = id.slice(0, -"?image".length);
        const { root, at, settings } = deps();
        const content = await readFile(file);
        const image = checkedImage(slashed(relative(root, file)), content, settings);
        if (this.environment.mode === "dev") return { code: writeForDevelopment(file, image), moduleType: "js" };
        encodeDeps ??= openVersions(deps(), config);
        const opened = await encodeDeps;
        let made = built.get(file);
        if (!made) {
          made = buildImage({ file, content, image, base: config.base, at }, opened).catch((error: Error) => {
            throw buildErrors.wrongImage(slashed(relative(root, file)), `cannot be decoded: ${error.message}`);
          });
          built.set(file, made);
        }
        const { imported, files } = await made;
        if (this.environment.name === "client")
          for (const [fileName, source] of files) this.emitFile({ type: "asset", fileName, source });
        return { code: `export default ${JSON.stringify(imported)};\n`, moduleType: "js" };
      },
    },
  };
}

function written(pixels: number): string {
  return pixels.toLocaleString("en");
}

type KnownImage = Extract<ReadImage, { kind: "image" }>;

/** Refuses what no browser shows, what is too large, and drawings that do more than be seen. */
function checkedImage(name: string, content: Buffer, { maxSide, maxPixels }: ReadImageSettings): KnownImage {
  const image = readImage(content);
  if (image.kind === "unreadable") throw buildErrors.wrongImage(name, image.why);
  const { width, height, format } = image;
  const size = `is ${written(width)} × ${written(height)} pixels large`;
  if (Math.max(width, height) > maxSide)
    throw buildErrors.wrongImage(name, `${size}; a side may have ${written(maxSide)} (images.maxSide)`);
  if (width * height > maxPixels)
    throw buildErrors.wrongImage(name, `${size}; an image may have ${written(maxPixels)} (images.maxPixels)`);
  const unsafe = format === "svg" ? unsafeInSvg(content.toString("utf8")) : undefined;
  if (unsafe !== undefined) throw buildErrors.unsafeImage(name, unsafe);
  return image;
}

/** Vite serves the file itself. */
function writeForDevelopment(file: string, { width, height }: KnownImage): string {
  const address = JSON.stringify(`${file}?url&no-inline`);
  return `import src from ${address};\nexport default { src, width: ${width}, height: ${height}, sources: [] };\n`;
}

async function openVersions(
  { root, settings }: ImageDeps,
  { cacheDir, logger }: ResolvedConfig,
): Promise<EncodeDeps | undefined> {
  const loaded = await loadSharp(root);
  if (loaded.kind !== "loaded") {
    const why = loaded.kind === "missing" ? "sharp is not installed" : `sharp cannot be loaded (${loaded.why})`;
    logger.warn(`Images are not scaled, because ${why}: npm install --save-dev sharp`);
    return undefined;
  }
  const { sharp } = loaded;
  // Several images at a time use the cores better than several threads for each.
  sharp.concurrency(1);
  const cache = new VersionCache(join(cacheDir, "holdfast-images"));
  await cache.removeUnused();
  const atOnce = Math.min(mostAtOnce, availableParallelism());
  return { sharp, cache, settings, turns: new Turns({ atOnce, waiting: Number.POSITIVE_INFINITY }) };
}

interface BuildInput {
  file: string;
  content: Buffer;
  image: KnownImage;
  base: string;
  at: string;
}

/** Drawings and animations stay as they are. */
async function buildImage(input: BuildInput, deps: EncodeDeps | undefined): Promise<BuiltImage> {
  const { file, content, image, base, at } = input;
  const { format, width, height, isAnimated } = image;
  const files = new Map<string, Buffer>();
  const { name } = parse(file);
  const add = (label: string, ending: string, source: Buffer): string => {
    const hash = createHash("sha256").update(source).digest("base64url").slice(0, 8);
    const fileName = `${assetsFolderOf(at)}/${plainName(name)}${label}-${hash}.${ending}`;
    files.set(fileName, source);
    return base + fileName;
  };
  if (!deps || format === "svg" || isAnimated)
    return { files, imported: { src: add("", endingOf(format), content), width, height, sources: [] } };
  const { fallback, better, preview } = await makeVersions({ content, format }, deps);
  const sourceOf = (versions: readonly ImageVersion[]): string =>
    versions.map((one) => `${add(`-${one.width}`, endingOf(one.format), one.content)} ${one.width}w`).join(", ");
  return {
    files,
    imported: {
      src: add("", endingOf(fallback.format), fallback.content),
      width: fallback.width,
      height: fallback.height,
      sources: better.map((versions) => ({ type: `image/${versions[0]?.format}`, srcSet: sourceOf(versions) })),
      ...(preview && { preview: `data:image/webp;base64,${preview.toString("base64")}` }),
    },
  };
}

/** In a list of addresses, a comma or a space would end one. */
function plainName(name: string): string {
  return name.replace(/[^\w-]+/g, "-") || "image";
}

function endingOf(format: string): string {
  return format === "jpeg" ? "jpg" : format;
}
