import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin, ViteBuilder } from "vite";
import type { ApplicationFiles } from "../application-files.ts";
import { exportsName } from "../application-path.ts";
import { readEffort } from "../output/compress-files.ts";
import type { OutputFolders } from "../output/output-folders.ts";
import { isStaticBuild } from "../static/is-static-build.ts";
import { StaticSite } from "../static/static-site.ts";
import { type PageToWrite, PrerenderedFiles, type WrittenPage } from "./prerendered-files.ts";

/** The build that pages are made from. */
export interface BuildToPrerender {
  /** The application's folder. */
  root: string;
  /** The folder that becomes the build, with the code of the server. */
  folder: string;
  /** Writes a page and its compressed copies. */
  write(page: PageToWrite): Promise<WrittenPage>;
}

/** Makes the pages of a build, or throws. Returns what identifies the settings in their documents. */
export type PrerenderPages = (build: BuildToPrerender) => Promise<{ settings: string }>;

const name = "holdfast:prerender";

/** Gives the build a function that makes pages: it runs the application, which the build cannot. */
export function prerenderPlugin(prerender: PrerenderPages): Plugin {
  return { name, api: prerender };
}

/** Makes the pages that declare `prerender`, before the build replaces the last one. */
export async function runPrerenderStep(
  { config }: ViteBuilder,
  application: ApplicationFiles,
  folders: OutputFolders,
): Promise<void> {
  // The last one is that of `holdfast build`, which comes after the plugins of the application's own vite.config.
  const prerender: PrerenderPages | undefined = config.plugins.findLast((plugin) => plugin.name === name)?.api;
  if (!prerender) return;
  if (isStaticBuild()) return writeSite(prerender, application, folders);
  if (!(await mayPrerender(application))) return;
  const files = new PrerenderedFiles(folders, readEffort(process.env.HOLDFAST_COMPRESSION));
  const write = (page: PageToWrite): Promise<WrittenPage> => files.add(page);
  const { settings } = await prerender({ root: folders.root, folder: folders.growing, write });
  if (files.pages.length > 0) await files.finish(settings);
}

/** Every page is a file, beside the files of the browser. */
async function writeSite(
  prerender: PrerenderPages,
  application: ApplicationFiles,
  folders: OutputFolders,
): Promise<void> {
  const site = new StaticSite(application, folders, readEffort(process.env.HOLDFAST_COMPRESSION));
  await site.begin();
  const { root, growing: folder } = folders;
  await prerender({ root, folder, write: (page) => site.add(page) });
}

/** Whether a page may declare `prerender`: most applications have none, and need not be started. */
async function mayPrerender({ table, pagesFolder }: ApplicationFiles): Promise<boolean> {
  const halves = table.routes.flatMap(({ kind, server }) => (kind === "page" && server !== undefined ? [server] : []));
  const codes = await Promise.all(halves.map((file) => readFile(join(pagesFolder, file), "utf8")));
  return codes.some((code) => exportsName(code, "prerender"));
}
