import type { AddressRule } from "#routes";
import type { ApplicationFiles } from "./application-files.ts";
import type { ImportChains } from "./guards/import-chain.ts";
import type { BrowserBuild } from "./output/browser-assets.ts";

/** State of the build or of the development server. */
export interface Work {
  outDir: string;
  application: ApplicationFiles;
  /** Redirects and rewrites of the configuration. */
  rules: readonly AddressRule[];
  browserReports: boolean;
  /** Set once the browser is built. */
  browser?: BrowserBuild;
  /** Importers of the browser's modules. */
  chains: ImportChains;
}
