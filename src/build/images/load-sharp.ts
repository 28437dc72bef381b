import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What the build uses of the package `sharp` (0.34 and later), which an application may install. */
export interface Sharp {
  (input: Buffer, options: { limitInputPixels: number; failOn: "warning" }): SharpImage;
  /** Threads for one image. */
  concurrency(threads: number): number;
  versions: { sharp?: string; vips: string };
}

export interface SharpImage {
  /** Turns the image as its Exif data says, which is then left out with all other metadata. */
  autoOrient(): SharpImage;
  resize(size: { width: number; height: number; fit: "fill" }): SharpImage;
  avif(options: { quality: number; effort: number }): SharpImage;
  webp(options: { quality: number }): SharpImage;
  jpeg(options: { quality: number; mozjpeg: boolean }): SharpImage;
  png(options: { compressionLevel: number }): SharpImage;
  metadata(): Promise<{ hasAlpha?: boolean; autoOrient: { width: number; height: number } }>;
  toBuffer(): Promise<Buffer>;
}

export type LoadedSharp = { kind: "loaded"; sharp: Sharp } | { kind: "missing" } | { kind: "broken"; why: string };

/** Loads the application's own `sharp`: the framework does not bring it. */
export async function loadSharp(root: string): Promise<LoadedSharp> {
  let file: string;
  try {
    file = createRequire(join(root, "package.json")).resolve("sharp");
  } catch {
    return { kind: "missing" };
  }
  try {
    const { default: sharp }: { default: Sharp } = await import(pathToFileURL(file).href);
    return { kind: "loaded", sharp };
  } catch (error) {
    // Such as an installation without the compiled part for this platform.
    return { kind: "broken", why: error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error) };
  }
}
