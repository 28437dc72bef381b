/**
 * Makes the typefaces of the console and the tour: `node scripts/make-fonts.js`. Each file has the letters of western
 * languages, the weights in use and the features in use; together they may have 54 kB. Other scripts are shown in the
 * system's typeface.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import subsetFont from "subset-font";
import { root } from "./root.js";

const require = createRequire(import.meta.url);

/** @param {number} first @param {number} last */
const range = (first, last) =>
  Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)).join("");

/** ASCII, Latin-1, and the signs that screens and guides use. */
const text = `${range(0x20, 0x7e)}${range(0xa0, 0xff)}–—‘’“”„…•→←↑↓×−≤≥€′″`;

/** Bold is 650: the weight of headings. Hinting is only for screens of the past. */
const common = { targetFormat: "woff2", variationAxes: { wght: { min: 400, max: 650 } }, noHinting: true };

const typefaces = [
  {
    name: "inter",
    from: "@fontsource-variable/inter/files/inter-latin-opsz-normal.woff2",
    keepFeatures: ["kern", "tnum", "calt", "case", "ccmp", "locl", "mark", "mkmk"],
  },
  {
    name: "geist-mono",
    from: "@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2",
    keepFeatures: ["zero", "ccmp"],
  },
];

mkdirSync(join(root, "look/fonts"), { recursive: true });
for (const { name, from, keepFeatures } of typefaces) {
  const bytes = await subsetFont(readFileSync(require.resolve(from)), text, { ...common, keepFeatures });
  writeFileSync(join(root, "look/fonts", `${name}.woff2`), bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}
