import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "../../scripts/root.js";

/**
 * Inside the repository and without a package.json of its own, so that `holdfast` resolves to this package. Ignored by
 * Git.
 */
const folderOfApplications = join(root, "tests/.tmp/applications");

/**
 * Writes an application with these files (`"src/pages/index.tsx": "…"`), for tests that need a special or broken one.
 * Equal files get the same folder, so that each application is built once. Returns the folder relative to the
 * repository, as `startApp` expects it.
 */
export function application(files: Record<string, string | Buffer>): string {
  const content = JSON.stringify(
    Object.entries(files)
      .map(([path, file]) => [path, typeof file === "string" ? file : file.toString("base64")])
      .sort(),
  );
  const folder = join(folderOfApplications, createHash("sha256").update(content).digest("hex").slice(0, 12));
  if (!existsSync(folder)) {
    const making = `${folder}-${process.pid}`;
    rmSync(making, { recursive: true, force: true });
    writeFiles(making, files);
    renameSync(making, folder);
  }
  return relative(root, folder);
}

/** Writes files, given by their path inside the folder. */
export function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
