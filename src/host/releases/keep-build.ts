import { constants } from "node:fs";
import {
  access,
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { hasCode } from "#errors";
import { readBrowserManifest } from "../browser-files.ts";
import { prerenderedFolder } from "../prerender/open-prerendered.ts";
import { type BrowserFile, diskPathOf } from "../stored-file.ts";

export interface KeepBuildOptions {
  dist: string;
  /** Where the copy goes. */
  to: string;
  /** The release that must be in `dist`: another build may have replaced it meanwhile. */
  key: string;
  buildBytes: number;
}

export type BuildCopy = "kept" | "too-large" | "replaced";

/**
 * Copies what is needed to run a build after another one has taken its folder: the server's code and the browser's
 * files whose names contain a hash. Those with a hash are linked if they are on the same disk; others could be
 * overwritten by a deployment.
 */
export async function keepBuild({ dist, to, key, buildBytes }: KeepBuildOptions): Promise<BuildCopy> {
  if (await exists(path.join(to, "manifest.json"))) return "kept";
  const growing = `${to}.${process.pid}`;
  await rm(growing, { recursive: true, force: true });
  try {
    const { own, build, assets } = await readBrowserManifest(dist);
    const immutable = own.filter((file) => file.immutable);
    const pages = await filesIn(dist, prerenderedFolder);
    const files = [...(await serverFiles(dist)), ...pages, ...immutable.flatMap(pathsOf), "release.txt"];
    let bytes = 0;
    for (const file of files) {
      bytes += (await stat(path.join(dist, file))).size;
      if (bytes > buildBytes) return "too-large";
      await takeFile(path.join(dist, file), path.join(growing, file));
    }
    const manifest = { build, assets, files: immutable, earlier: [], chunks: [] };
    await writeFile(path.join(growing, "manifest.json"), JSON.stringify(manifest));
    const release = await readFile(path.join(growing, "release.txt"), "utf8");
    const now = await readBrowserManifest(dist);
    if (release.trim() !== key || now.build !== build) return "replaced";
    await rename(growing, to);
    return "kept";
  } finally {
    await rm(growing, { recursive: true, force: true });
  }
}

/**
 * A copy outside of the application's folder finds the packages that the build has left out, such as `holdfast/report`,
 * by a link.
 */
export async function linkPackages(folder: string, root: string): Promise<void> {
  if (!path.relative(root, folder).startsWith("..")) return;
  for (let above = root; ; above = path.dirname(above)) {
    const packages = path.join(above, "node_modules");
    if (await exists(path.join(packages, "holdfast"))) {
      const linked = path.join(folder, "node_modules");
      await rm(linked, { force: true });
      return symlink(packages, linked, "dir").catch(() => undefined);
    }
    if (path.dirname(above) === above) return;
  }
}

/** Without the chunks that are there for servers of earlier builds. */
async function serverFiles(dist: string): Promise<string[]> {
  const { chunks = [] }: { chunks?: string[][] } = JSON.parse(await readFile(path.join(dist, "manifest.json"), "utf8"));
  const [own = [], ...earlier] = chunks;
  const leftOut = new Set(earlier.flat().filter((chunk) => !own.includes(chunk)));
  return (await filesIn(dist, "server")).filter((file) => !leftOut.has(file));
}

/** The files of a folder of the build, which may be missing. */
async function filesIn(dist: string, folder: string): Promise<string[]> {
  const found = await readdir(path.join(dist, folder), { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    },
  );
  return found
    .filter((one) => one.isFile())
    .map((one) => path.relative(dist, path.join(one.parentPath, one.name)).replaceAll(path.sep, "/"));
}

function pathsOf(file: BrowserFile): string[] {
  return [undefined, ...file.encodings].map((encoding) => diskPathOf(file, encoding));
}

const hashedName = /-[\w-]{8,}\.\w+(?:\.\w+)?$/;

async function takeFile(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  const copy = (): Promise<void> => copyFile(from, to, constants.COPYFILE_FICLONE);
  await (hashedName.test(from) ? link(from, to).catch(copy) : copy());
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
