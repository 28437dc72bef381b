/** The size of an SVG in CSS pixels: its width and height, or that of its view box. Zero if it has none. */
export function readSvgSize(text: string): { width: number; height: number } {
  const [, attributes = ""] = /<(?:\w+:)?svg\b((?:[^"'>]|"[^"]*"|'[^']*')*)>/.exec(withoutComments(text)) ?? [];
  const values = new Map(attributesIn(attributes));
  const [, , boxWidth = 0, boxHeight = 0] = (values.get("viewbox") ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const width = pixelsOf(values.get("width"));
  const height = pixelsOf(values.get("height"));
  const ratio = boxWidth > 0 && boxHeight > 0 ? boxWidth / boxHeight : 0;
  if (width && height) return rounded(width, height);
  if (width && ratio) return rounded(width, width / ratio);
  if (height && ratio) return rounded(height * ratio, height);
  return ratio ? rounded(boxWidth, boxHeight) : { width: 0, height: 0 };
}

function rounded(width: number, height: number): { width: number; height: number } {
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
}

const pixelsOfUnit: Readonly<Record<string, number>> = {
  "": 1,
  px: 1,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  pt: 96 / 72,
  pc: 16,
};

/** Undefined for a size that depends on where the image is shown, such as 100%. */
function pixelsOf(length: string | undefined): number | undefined {
  const [, number, unit = ""] = /^\s*([\d.]+)\s*([a-z%]*)\s*$/i.exec(length ?? "") ?? [];
  const factor = pixelsOfUnit[unit.toLowerCase()];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor || undefined;
}

/**
 * What an SVG has that must not be served: opened by its own address, it is a document of the application's origin and
 * runs its scripts. As an image it may not load anything. Undefined if it is safe.
 */
export function unsafeInSvg(svg: string): string | undefined {
  const text = withoutComments(svg);
  if (/<\?xml-stylesheet\b/i.test(text)) return "a stylesheet of another file";
  if (/<!DOCTYPE[^>[]*\[/i.test(text) || /<!ENTITY/i.test(text)) return "entities of its own";
  for (const [, name = "", attributes = ""] of text.matchAll(tags)) {
    const element = localName(name);
    if (refusedElements.has(element)) return `an element <${element}>`;
    for (const [attribute, value] of attributesIn(attributes)) {
      const found = unsafeAttribute(attribute, value);
      if (found !== undefined) return found;
    }
  }
  return unsafeStyle(decoded(text));
}

const tags = /<([a-z_][^\s/>]*)((?:[^"'>]|"[^"]*"|'[^']*')*)>/gi;

const refusedElements = new Set("script foreignobject iframe object embed audio video handler listener".split(" "));

function unsafeAttribute(name: string, value: string): string | undefined {
  if (name.startsWith("on")) return `an event handler (${name})`;
  if (name === "base") return "a base address (xml:base)";
  // Browsers skip spaces and control characters in the scheme of an address.
  const plain = value.replace(/[\0-\x20]+/g, "");
  if (/(?:javascript|vbscript):/i.test(plain)) return "a javascript: address";
  if ((name === "href" || name === "src") && !isInside(plain)) return `a reference to ${shortened(plain)}`;
  return unsafeStyle(value);
}

function unsafeStyle(text: string): string | undefined {
  if (/@import\b/i.test(text)) return "a style that imports another file (@import)";
  for (const [, , target = ""] of text.matchAll(/url\(\s*(["']?)([^)]*?)\1\s*\)/gi))
    if (!isInside(target)) return `a reference to ${shortened(target)}`;
  return undefined;
}

/** Inside the file: an element by its id, or data of a picture or a font. */
function isInside(target: string): boolean {
  return target === "" || target.startsWith("#") || dataOfFile.test(target);
}

const dataOfFile = /^data:(?:image\/(?:png|jpe?g|gif|webp|avif)|font\/[\w-]+|application\/(?:x-)?font-[\w-]+)[;,]/i;

function shortened(target: string): string {
  return target.length > 60 ? `${target.slice(0, 60)}…` : target;
}

function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?-->/g, "");
}

function* attributesIn(text: string): Generator<[name: string, value: string]> {
  for (const [, name = "", , double, single = ""] of text.matchAll(/([^\s=/"'<>]+)\s*=\s*("([^"]*)"|'([^']*)')/g))
    if (!name.startsWith("xmlns")) yield [localName(name), decoded(double ?? single)];
}

/** Any prefix may stand for the namespace of SVG. */
function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}

const namedCharacters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name = "") => {
      const code = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : undefined;
      if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      return namedCharacters[name] ?? whole;
    },
  );
}
