import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { writeErrorCatalogue } from "./error-catalogue.js";
import { fingerprint, rememberedFingerprint } from "./fingerprint.js";
import { root } from "./root.js";
import { runTool } from "./tools.js";

/** What decides how the package comes out. */
const packageSources = ["src", "bin", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

/** The applications of the repository, in the order in which they need each other. */
const applications = ["console", "tour"];

/**
 * Builds what has changed since it was last built: the package, then the applications that stand on it.
 * @returns {Promise<boolean>} whether everything is built now
 */
export async function build() {
  if (!(await buildPackage())) return false;
  const sources = fingerprint(packageSources);
  for (const name of applications.filter((name) => existsSync(join(root, name, "src")))) {
    // The tour shows the guides.
    const current = sources + fingerprint([name, "docs"]);
    const built = await buildIfChanged(
      name,
      current,
      join(name, "dist"),
      async () => (await runTool("holdfast", ["build", name])) === 0,
    );
    if (!built) return false;
  }
  return true;
}

/** `dist`, if the sources have changed since it was made. */
export function buildPackage() {
  return buildIfChanged("package", fingerprint(packageSources), "dist", compilePackage);
}

/**
 * @param {string} name
 * @param {string} current fingerprint of its sources
 * @param {string} output
 * @param {() => Promise<boolean>} make
 */
async function buildIfChanged(name, current, output, make) {
  const last = rememberedFingerprint(name);
  if (existsSync(join(root, output)) && last.matches(current)) return true;
  console.log(`Building the ${name}.`);
  last.forget();
  const built = await make();
  if (built) last.remember(current);
  return built;
}

/**
 * Made beside `dist` and then put in its place, so that nothing of an older build is left and nobody meets a half-made one.
 * The folder has the same depth as `dist`: source maps point to `../src`.
 */
async function compilePackage() {
  const next = join(root, ".dist-next");
  const previous = join(root, ".dist-previous");
  for (const folder of [next, previous]) rmSync(folder, { recursive: true, force: true });
  const code = await runTool("tsc", ["-p", "tsconfig.build.json", "--outDir", next]);
  if (code !== 0) return false;
  cpSync(join(root, "src"), next, { recursive: true, filter: isCopied });
  if (existsSync(join(root, "dist"))) renameSync(join(root, "dist"), previous);
  renameSync(next, join(root, "dist"));
  rmSync(previous, { recursive: true, force: true });
  await writeErrorCatalogue();
  return true;
}

/**
 * Folders, and what tsc does not carry over: styles, pictures, SQL.
 * @param {string} path
 */
function isCopied(path) {
  return ![".ts", ".tsx", ".md"].includes(extname(path));
}
