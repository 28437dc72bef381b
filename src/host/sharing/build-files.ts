import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { BrowserFileContent } from "#service";
import { readBrowserManifest } from "../browser-files.ts";
import { type BrowserFile, diskPathOf } from "../stored-file.ts";
import type { SharingLimits } from "./limits.ts";

interface BuildFileDeps {
  limits: Pick<SharingLimits, "buildBytes" | "fileBytes">;
  /** Called with the paths of files for which there is no room. */
  onLeftOut: (paths: readonly string[]) => void;
}

/**
 * Reads the files of a build whose names contain a content hash: other files have the same name in every build. A tab
 * cannot continue without its scripts and styles, so these come first.
 */
export async function* readBuildFiles(dist: string, deps: BuildFileDeps): AsyncGenerator<BrowserFileContent> {
  const { limits } = deps;
  const { own } = await readBrowserManifest(dist);
  const files = own.filter(({ immutable }) => immutable).sort((a, b) => rank(a) - rank(b));
  const leftOut: string[] = [];
  let room = limits.buildBytes;
  for (const file of files) {
    const contents = await readContents(dist, file);
    const identity = contents.get("identity") ?? Buffer.alloc(0);
    const needed = [...contents.values()].reduce((sum, { length }) => sum + length, 0);
    if (identity.length > limits.fileBytes || needed > room) {
      leftOut.push(file.path);
      continue;
    }
    room -= needed;
    const hash = createHash("sha256").update(identity).digest("hex");
    yield { path: file.path, type: file.type, hash, bytes: identity.length, encodings: file.encodings, contents };
  }
  if (leftOut.length > 0) deps.onLeftOut(leftOut);
}

function rank({ path }: BrowserFile): number {
  return /\.(?:js|css)$/.test(path) ? 0 : 1;
}

async function readContents(dist: string, file: BrowserFile): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  for (const encoding of [undefined, ...file.encodings])
    contents.set(encoding ?? "identity", await readFile(path.join(dist, diskPathOf(file, encoding))));
  return contents;
}
