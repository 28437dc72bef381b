import { readFile } from "node:fs/promises";
import { basename, relative } from "node:path";
import type { Plugin } from "vite";
import { slashed } from "../application-files.ts";
import { buildErrors } from "../errors.ts";
import { writeFontFaces } from "./font-faces.ts";
import { type FontFacts, readFont } from "./read-font.ts";

/** Vite takes a module for a stylesheet by the end of its name. */
const facesQuery = "?font-faces&lang.css";

/**
 * `import inter from "./inter.woff2?font"` adds the font to the styles of the application, with a fallback of the same
 * size, and gives its address for `<Font>`.
 */
export function fontImports(root: () => string): Plugin {
  const factsIn = async (file: string): Promise<FontFacts> => {
    const font = readFont(await readFile(file));
    if (font.kind === "font") return font.facts;
    throw buildErrors.wrongFont(slashed(relative(root(), file)), font.why);
  };
  return {
    name: "holdfast:font-imports",
    sharedDuringBuild: true,
    enforce: "pre",
    load: {
      filter: { id: /\?font(?:-faces&lang\.css)?$/ },
      async handler(id) {
        const [file = ""] = id.split("?", 1);
        const facts = await factsIn(file);
        // Vite names the file, and gives the same address to the stylesheet and to the module.
        if (id.endsWith(facesQuery)) return writeFontFaces(facts, `./${basename(file)}`);
        // Its styles count, also if no name of it is used and its package says that it has no side effects.
        return { code: writeFontModule(file, facts), moduleType: "js", moduleSideEffects: true };
      },
    },
  };
}

/** The same shape as `FontFile` of pages. */
function writeFontModule(file: string, { family, style, weight }: FontFacts): string {
  const font = JSON.stringify({ family: `"${family}", "${family} Fallback"`, style, weight });
  return `import src from ${JSON.stringify(`${file}?url&no-inline`)};
import ${JSON.stringify(file + facesQuery)};
export default { src, ...${font} };
`;
}
