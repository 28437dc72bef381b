import type { FontFacts, FontMetrics } from "./read-font.ts";

interface SystemFont {
  /** The same widths under several names: of Windows and macOS, of Linux, of ChromeOS. */
  names: readonly string[];
  letterWidth: number;
}

/** Fonts of the system that are shown until the font is there. Their widths are measured as those of the font. */
const systemFonts: Readonly<Record<FontFacts["kind"], SystemFont>> = {
  sans: { names: ["Arial", "Liberation Sans", "Arimo"], letterWidth: 0.4408 },
  serif: { names: ["Times New Roman", "Liberation Serif", "Tinos"], letterWidth: 0.4001 },
  mono: { names: ["Courier New", "Liberation Mono", "Cousine"], letterWidth: 0.6001 },
};

/**
 * Writes the font, and a fallback under the name `… Fallback`: a font of the system, scaled to the same widths, with
 * the line heights of the font. A text takes the same room before and after the font arrives.
 */
export function writeFontFaces({ family, style, weight, kind, metrics }: FontFacts, file: string): string {
  const { names, letterWidth } = systemFonts[kind];
  const scale = metrics.letterWidth / letterWidth;
  const percent = (value: number): string => `${(value * 100).toFixed(2)}%`;
  const override = (name: string, value: keyof Omit<FontMetrics, "letterWidth">): string =>
    `${name}-override: ${percent(metrics[value] / scale)};`;
  return `@font-face {
  font-family: "${family}";
  src: url("${file}") format("woff2");
  font-style: ${style};
  font-weight: ${weight};
  font-display: swap;
}
@font-face {
  font-family: "${family} Fallback";
  src: ${names.map((name) => `local("${name}")`).join(", ")};
  size-adjust: ${percent(scale)};
  ${override("ascent", "ascent")}
  ${override("descent", "descent")}
  ${override("line-gap", "lineGap")}
}
`;
}
