import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFontFaces } from "./font-faces.ts";
import { readFont } from "./read-font.ts";

const file = (name: string) =>
  readFileSync(join(import.meta.dirname, "../../../node_modules/@fontsource-variable", name));
const inter = file("inter/files/inter-latin-wght-normal.woff2");

const factsOf = (bytes: Buffer) => {
  const font = readFont(bytes);
  if (font.kind !== "font") throw new Error(font.why);
  return font.facts;
};

describe("a font says", () => {
  it("a font says its name, its weights and whether it is upright", () => {
    expect(factsOf(inter)).toMatchObject({ family: "Inter", style: "normal", weight: "100 900", kind: "sans" });
    const italic = file("inter/files/inter-latin-wght-italic.woff2");
    expect(factsOf(italic)).toMatchObject({ family: "Inter", style: "italic" });
    const mono = file("geist-mono/files/geist-mono-latin-wght-normal.woff2");
    expect(factsOf(mono)).toMatchObject({ family: "Geist Mono", kind: "mono", metrics: { letterWidth: 0.6 } });
  });

  it("a font says how high its lines and how wide its letters are", () => {
    const { metrics } = factsOf(inter);
    expect(metrics.ascent).toBeCloseTo(0.96875);
    expect(metrics.descent).toBeCloseTo(0.2412);
    expect(metrics.letterWidth).toBeCloseTo(0.4728, 3);
  });
});

it("a font that is cut off, broken or of another kind is unreadable", () => {
  for (let end = 48; end < inter.length; end += Math.ceil(inter.length / 30))
    expect(readFont(inter.subarray(0, end))).toEqual({ kind: "unreadable", why: "is cut off or broken" });
  const broken = Buffer.from(inter);
  broken.fill(0xff, 200, 400);
  expect(readFont(broken).kind).toBe("unreadable");
  expect(readFont(Buffer.from("OTTO"))).toEqual({ kind: "unreadable", why: "is no WOFF2 font" });
});

it("the fallback of a font is a font of the system, of the same width and height", () => {
  const css = writeFontFaces(factsOf(inter), "./inter.woff2");
  expect(css).toContain('font-family: "Inter";\n  src: url("./inter.woff2") format("woff2");');
  expect(css).toContain('font-family: "Inter Fallback";\n  src: local("Arial"), local("Liberation Sans")');
  expect(css).toContain("size-adjust: 107.25%;\n  ascent-override: 90.32%;\n  descent-override: 22.49%;");
  expect(css).toContain("line-gap-override: 0.00%;");
});
