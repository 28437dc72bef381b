import type { ApplicationFiles } from "../application-files.ts";
import type { BrowserBuild } from "../output/browser-assets.ts";
import { devEntry } from "../virtual-modules.ts";

/**
 * Development has no bundle: the browser fetches the entry from Vite, and each module imports the next. Styles are
 * added when a page is requested, because only its modules import them.
 */
export function devAssets({ table }: ApplicationFiles): BrowserBuild {
  return {
    build: "dev",
    later: [],
    hashed: new Set(),
    assets: {
      entry: `/@id/__x00__${devEntry}`,
      entryImports: [],
      styles: [],
      routes: table.routes.map(() => ({ modules: [], styles: [] })),
      folders: table.folders.map(() => ({ modules: [], styles: [] })),
    },
  };
}
