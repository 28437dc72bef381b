import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { takeBuiltinsApart } from "./builtins-in-parts.js";
import { bundleInPlace, bundleStart } from "./bundle-start.js";
import { writeErrorCatalogue } from "./error-catalogue.js";
import { fingerprint, rememberedFingerprint } from "./fingerprint.js";
import { root } from "./root.js";
import { runTool } from "./tools.js";

/** Inputs of the package build. */
const packageSources = [
  "src",
  "bin",
  "scripts/as-script.js",
  "scripts/builtins-in-parts.js",
  "scripts/bundle-start.js",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

/**
 * Builds what has changed: the package, then the tour, which depends on it.
 * @returns {Promise<boolean>} whether everything is built now
 */
export async function build() {
  // The tour shows the guides.
  return (await buildPackage()) && (await buildApplication("tour", "tour/dist", ["docs", "look"], []));
}

/** Builds `dist` if the sources have changed: the compiled parts, and the console, which is built with them. */
export async function buildPackage() {
  const compiled = await buildIfChanged("package", fingerprint(packageSources), "dist", compilePackage);
  const built =
    compiled && (await buildApplication("console", "dist/console", ["look"], consoleOptions, removeConsole));
  // The package must not depend on who builds it, or at which commit.
  for (const file of ["commits.json", "release.txt"]) rmSync(join(root, "dist/console", file), { force: true });
  removeZstandard(join(root, "dist/console"));
  return built;
}

/**
 * Every browser that takes Zstandard takes Brotli, which is smaller. In the package, a third copy of the console's
 * files would be 170 kB that do not compress.
 * @param {string} folder
 */
function removeZstandard(folder) {
  const file = join(folder, "manifest.json");
  if (!existsSync(file)) return;
  /** @type {{ files: { file: string, encodings: string[] }[] }} */
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  if (!manifest.files.some(({ encodings }) => encodings.includes("zstd"))) return;
  for (const served of manifest.files) {
    served.encodings = served.encodings.filter((encoding) => encoding !== "zstd");
    rmSync(join(folder, `${served.file}.zst`), { force: true });
  }
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 1)}\n`);
}

/** A build keeps the browser files of the last two for open tabs. These do not belong in the package. */
function removeConsole() {
  rmSync(join(root, "dist/console"), { recursive: true, force: true });
}

/** Path where the host serves the console, and folder where it finds it. */
const consoleOptions = ["--at", "/_holdfast", "--out", "../dist/console", "--no-browser-reports"];

/**
 * @param {string} name its folder
 * @param {string} output
 * @param {string[]} sources besides the folder
 * @param {string[]} options
 * @param {() => void} prepare
 */
function buildApplication(name, output, sources, options, prepare = () => undefined) {
  const current = fingerprint([...packageSources, name, ...sources]);
  return buildIfChanged(name, current, output, async () => {
    prepare();
    return (await runTool("holdfast", ["build", name, ...options])) === 0;
  });
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
 * Compiles beside `dist` and then renames, so that no file of an older build remains and no process sees a partial
 * build. The folder has the same depth as `dist`: source maps point to `../src`.
 */
async function compilePackage() {
  const next = join(root, ".dist-next");
  const previous = join(root, ".dist-previous");
  for (const folder of [next, previous]) rmSync(folder, { recursive: true, force: true });
  const code = await runTool("tsc", ["-p", "tsconfig.build.json", "--outDir", next]);
  if (code !== 0) return false;
  cpSync(join(root, "src"), next, { recursive: true, filter: isCopied });
  for (const file of globSync("**/*.js", { cwd: next })) rewrite(join(next, file), takeBuiltinsApart);
  await bundleStart(next);
  await bundleInPlace(next);
  writeFileSync(join(next, "cli/start.js"), 'export { startCommand } from "../start/index.js";\n');
  writeFileSync(join(next, "cli/service.js"), 'export { serviceWithConsoleCommand } from "../start/service.js";\n');
  if (existsSync(join(root, "dist"))) renameSync(join(root, "dist"), previous);
  renameSync(next, join(root, "dist"));
  rmSync(previous, { recursive: true, force: true });
  await writeErrorCatalogue();
  return true;
}

/**
 * @param {string} file
 * @param {(code: string) => string} change
 */
function rewrite(file, change) {
  const code = readFileSync(file, "utf8");
  const changed = change(code);
  if (changed !== code) writeFileSync(file, changed);
}

/**
 * Selects folders and the files that tsc does not copy: styles, pictures, SQL.
 * @param {string} path
 */
function isCopied(path) {
  return ![".ts", ".tsx", ".md"].includes(extname(path));
}
