import type { Plugin } from "vite";
import { type ApplicationFiles, slashed } from "./application-files.ts";
import { withoutQuery } from "./guards/import-chain.ts";
import {
  applicationLanguagesModule,
  applicationPathModule,
  applicationSlashesModule,
  languageAddressesModule,
  trailingSlashModule,
} from "./own-package.ts";

/**
 * Tells the framework's code, in the browser and on the server, below which path the application lives, whether its
 * addresses end with a slash and which languages it has. Constants instead of settings at run time: an application that
 * has the host to itself, or one language, carries none of the code for it.
 */
export function placeApplication(known: () => ApplicationFiles): Plugin {
  const modules: ReadonlyMap<string, () => string | undefined> = new Map([
    [slashed(applicationPathModule), () => writePath(known())],
    [slashed(applicationSlashesModule), () => writeSlashes(known())],
    [slashed(applicationLanguagesModule), () => writeLanguages(known())],
  ]);
  return {
    name: "holdfast:application-path",
    sharedDuringBuild: true,
    enforce: "pre",
    load: {
      filter: { id: /application-(?:path|slashes|languages)/ },
      handler: (id) => modules.get(slashed(withoutQuery(id)))?.(),
    },
  };
}

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
