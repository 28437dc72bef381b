import type { ApplicationFiles } from "./application-files.ts";
import type { ImportChains } from "./guards/import-chain.ts";
import type { BrowserBuild } from "./output/browser-assets.ts";

/** What is known about the application at this moment of the build, or of developing. */
export interface Work {
  outDir: string;
  application: ApplicationFiles;
  browserReports: boolean;
  /** Once the browser's half is built. */
  browser?: BrowserBuild;
  /** Who imported what, among the browser's modules. */
  chains: ImportChains;
}
