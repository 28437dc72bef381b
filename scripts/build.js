import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { bundleStart } from "./bundle-start.js";
import { writeErrorCatalogue } from "./error-catalogue.js";
import { fingerprint, rememberedFingerprint } from "./fingerprint.js";
import { root } from "./root.js";
import { runTool } from "./tools.js";

/** What decides how the package comes out. */
const packageSources = [
  "src",
  "bin",
  "scripts/bundle-start.js",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

/**
 * Builds what has changed since it was last built: the package, then the tour, which stands on it.
 * @returns {Promise<boolean>} whether everything is built now
 */
export async function build() {
  // The tour shows the guides.
  return (await buildPackage()) && (await buildApplication("tour", "tour/dist", ["docs", "look"], []));
}

/**
 * `dist`, if the sources have changed since it was made: the compiled parts, and the console, which is built by them.
 */
export async function buildPackage() {
  const compiled = await buildIfChanged("package", fingerprint(packageSources), "dist", compilePackage);
  const built =
    compiled && (await buildApplication("console", "dist/console", ["look"], consoleOptions, removeConsole));
  // The package is the same whoever builds it, at whatever commit.
  for (const file of ["commits.json", "release.txt"]) rmSync(join(root, "dist/console", file), { force: true });
  return built;
}

/** A build keeps the browser files of the two before it, for tabs that are open. Those are not part of the package. */
function removeConsole() {
  rmSync(join(root, "dist/console"), { recursive: true, force: true });
}

/** Where the host serves it, and where the host looks for it. */
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
 * Made beside `dist` and then put in its place, so that nothing of an older build is left and no process meets a
 * half-made one. The folder has the same depth as `dist`: source maps point to `../src`.
 */
async function compilePackage() {
  const next = join(root, ".dist-next");
  const previous = join(root, ".dist-previous");
  for (const folder of [next, previous]) rmSync(folder, { recursive: true, force: true });
  const code = await runTool("tsc", ["-p", "tsconfig.build.json", "--outDir", next]);
  if (code !== 0) return false;
  cpSync(join(root, "src"), next, { recursive: true, filter: isCopied });
  await bundleStart(next);
  writeFileSync(join(next, "cli/start.js"), 'export { startCommand } from "../start/index.js";\n');
  writeFileSync(join(next, "cli/service.js"), 'export { serviceWithConsoleCommand } from "../start/service.js";\n');
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
