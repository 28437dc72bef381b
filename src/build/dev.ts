import type { Application } from "./application-files.ts";
import type { BrowserBuild } from "./browser-output.ts";
import { browserEntry } from "./entries.ts";

/** While developing nothing is bundled: the browser asks Vite for the entry, and each module for the next. */
export function devAssets({ table }: Application): BrowserBuild {
  const nothing = { modules: [], styles: [] };
  return {
    build: "dev",
    assets: {
      entry: `/@id/__x00__${browserEntry}`,
      entryImports: [],
      styles: [],
      routes: table.routes.map(() => nothing),
      folders: table.folders.map(() => nothing),
    },
  };
}
