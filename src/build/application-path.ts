import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "vite";
import { type ApplicationFiles, slashed } from "./application-files.ts";
import { withoutQuery } from "./guards/import-chain.ts";
import {
  applicationLanguagesModule,
  applicationPathModule,
  applicationSearchModule,
  applicationSlashesModule,
  applicationStaticModule,
  cleanItemsHereModule,
  cleanItemsModule,
  languageAddressesModule,
  trailingSlashModule,
  writeSearchModule,
} from "./own-package.ts";
import { isStaticBuild } from "./static/is-static-build.ts";

/**
 * Tells the framework's code, in the browser and on the server, below which path the application lives, whether its
 * addresses end with a slash, which languages it has, whether a page has schemas for its address and whether browsers
 * send their reports past its server. Constants instead of settings at run time: an application that has the host to
 * itself, or one language, carries none of the code for it.
 */
export function placeApplication(known: () => ApplicationFiles): Plugin {
  const modules = new Map<string, (isDev: boolean) => Written | Promise<Written>>([
    [slashed(applicationPathModule), () => writePath(known())],
    [slashed(applicationSlashesModule), () => writeSlashes(known())],
    [slashed(applicationLanguagesModule), () => writeLanguages(known())],
    [slashed(applicationStaticModule), () => (isStaticBuild() ? "export const isStatic = true;\n" : undefined)],
    [slashed(cleanItemsModule), () => (isStaticBuild() ? writeCleaning() : undefined)],
    [slashed(applicationSearchModule), (isDev) => writeSearches(known(), isDev)],
  ]);
  return {
    name: "holdfast:application-path",
    sharedDuringBuild: true,
    enforce: "pre",
    load: {
      filter: { id: /application-(?:path|slashes|static|languages|search)|clean-items/ },
      handler(id) {
        return modules.get(slashed(withoutQuery(id)))?.(this.environment.mode === "dev");
      },
    },
  };
}

type Written = string | undefined;

function writePath({ at }: ApplicationFiles): string | undefined {
  return at === "" ? undefined : `export const applicationPath = ${JSON.stringify(at)};\n`;
}

function writeSlashes({ trailingSlash }: ApplicationFiles): string | undefined {
  if (!trailingSlash) return undefined;
  return `export { alwaysSlashes as slashes } from ${JSON.stringify(trailingSlashModule)};\n`;
}

function writeLanguages({ languages, at }: ApplicationFiles): string | undefined {
  if (!languages) return undefined;
  return `import { languageAddresses } from ${JSON.stringify(languageAddressesModule)};
export const languages = languageAddresses(${JSON.stringify(languages.table)}, ${JSON.stringify(at)});
`;
}

function writeCleaning(): Written {
  return `export { cleanItemsHere as cleanItems } from ${JSON.stringify(cleanItemsHereModule)};\n`;
}

/** In development it is always there: a page may get a schema at any time. */
async function writeSearches({ table, pagesFolder }: ApplicationFiles, isDev: boolean): Promise<Written> {
  const halves = table.routes.flatMap(({ kind, server }) => (kind === "page" && server !== undefined ? [server] : []));
  const codes = isDev ? [] : await Promise.all(halves.map((file) => readFile(join(pagesFolder, file), "utf8")));
  const has = (name: string): boolean => isDev || codes.some((code) => exportsName(code, name));
  const searches = has("search")
    ? `export { writtenSearches as typedSearches } from ${JSON.stringify(writeSearchModule)};`
    : "export const typedSearches = null;";
  const isRich = isDev || table.routes.some(({ id }) => /\[\[|=/.test(id));
  return `${searches}\nexport const typedParams = ${has("params")};\nexport const richIds = ${isRich};\n`;
}

/** Finds more than there is rather than less: then the browser loads some bytes in vain. */
export function exportsName(code: string, name: string): boolean {
  return new RegExp(
    `\\bexport\\s+(?:const|let|var)\\s[^;]*?\\b${name}\\s*[=:]|\\bexport\\s*\\{[^}]*\\b${name}\\b|\\bexport\\s*\\*`,
  ).test(code);
}
