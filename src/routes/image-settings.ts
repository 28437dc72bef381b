/** How the build makes images for browsers: `images` of the configuration. */
export interface ImageSettings {
  /** Widths in pixels of the versions of an image; none is wider than the image itself. */
  widths?: readonly number[];
  /** Quality of each format, from 1 to 100. The scales of the formats differ. */
  quality?: { avif?: number; webp?: number; jpeg?: number };
  /** The most pixels that a side of an image may have. */
  maxSide?: number;
  /** The most pixels that an image may have. */
  maxPixels?: number;
}

export interface ReadImageSettings {
  widths: readonly number[];
  quality: { avif: number; webp: number; jpeg: number };
  maxSide: number;
  maxPixels: number;
}

/** The largest side of a WebP image (RFC 9649), and more than browsers of phones decode. */
const largestSide = 16_383;
/** At four bytes for each, 256 MB while an image is scaled. The largest cameras of phones have 50 million. */
const usualPixels = 64_000_000;
/** Each is made in two formats, and each of them costs seconds of a build. */
const mostWidths = 12;

const usual: ReadImageSettings = {
  // Phones at two pixels per point, tablets, and screens at one and two pixels per point.
  widths: [320, 640, 960, 1_280, 1_920, 2_560],
  quality: { avif: 50, webp: 75, jpeg: 80 },
  maxSide: largestSide,
  maxPixels: usualPixels,
};

/** What is wrong with `images` of the configuration. */
export function problemOfImages(value: unknown): string | undefined {
  if (!isObject(value)) return "must be an object with widths, quality, maxSide or maxPixels";
  const unknownName = Object.keys(value).find((name) => !(name in usual));
  if (unknownName !== undefined) return `has no setting "${unknownName}"; there are ${Object.keys(usual).join(", ")}`;
  const { widths = usual.widths, quality = {}, maxSide = largestSide, maxPixels = usualPixels } = value;
  if (!isWidths(widths))
    return `has widths that are not 1 to ${mostWidths} different whole numbers up to ${largestSide}`;
  if (!isObject(quality) || !Object.entries(quality).every(isQuality))
    return "has a quality that is not { avif, webp, jpeg } with numbers from 1 to 100";
  if (!isWhole(maxSide, largestSide)) return `has a maxSide that is no whole number from 1 to ${largestSide}`;
  return isWhole(maxPixels, largestSide ** 2) ? undefined : "has a maxPixels that no image can have";
}

/** The settings, which `problemOfImages` has checked, with what they leave out. */
export function readImageSettings(value: ImageSettings = {}): ReadImageSettings {
  const widths = [...(value.widths ?? usual.widths)].sort((a, b) => a - b);
  return { ...usual, ...value, widths, quality: { ...usual.quality, ...value.quality } };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
}

function isWidths(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > mostWidths) return false;
  return value.every((one) => isWhole(one, largestSide)) && new Set(value).size === value.length;
}

function isQuality([name, value]: [string, unknown]): boolean {
  return name in usual.quality && isWhole(value, 100);
}
