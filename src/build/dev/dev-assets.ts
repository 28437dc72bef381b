import type { ApplicationFiles } from "../application-files.ts";
import type { BrowserBuild } from "../output/browser-assets.ts";
import { devEntry } from "../virtual-modules.ts";

/**
 * While developing nothing is bundled: the browser asks Vite for the entry, and each module for the next. Styles are
 * filled in when a page is asked for, because only its modules know them.
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
