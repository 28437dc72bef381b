import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

/** @typedef {"tailwind" | "sqlite" | "docker"} Extra */

/** @type {readonly Extra[]} each has its own folder in `template` */
const knownExtras = ["tailwind", "sqlite", "docker"];

/**
 * Choices for the new application.
 * @typedef {object} Wishes
 * @property {string} folder absolute
 * @property {readonly Extra[]} extras
 * @property {boolean} install
 * @property {string} holdfast value of `holdfast` in package.json: a range of versions, or a packed file
 */

/**
 * @typedef {{ kind: "help" } | { kind: "wrong", sentence: string } | { kind: "asked", wishes: Wishes, sure: boolean }}
 *   Asked
 */

export const usage = `Usage: npm create holdfast [FOLDER] [-- OPTIONS]

  --yes                 asks nothing
  --tailwind            styles by Tailwind CSS
  --sqlite              keeps its notes in SQLite instead of in memory
  --no-docker           without a Dockerfile
  --no-install          writes the files and leaves \`npm install\` to you
  --holdfast VERSION    another version of Holdfast, or a packed one: ./holdfast-0.1.0.tgz`;

/**
 * @param {readonly string[]} args
 * @returns {Asked}
 */
export function readCommandLine(args) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options,
    });
    const [folder = "holdfast-app", ...more] = positionals;
    if (values.help) return { kind: "help" };
    if (more.length > 0) return { kind: "wrong", sentence: `One folder is enough, but there is also "${more[0]}".` };
    const extras = knownExtras.filter((extra) => values[extra]);
    const holdfast = versionOf(values.holdfast ?? `^${ownVersion()}`);
    const wishes = { folder: resolve(folder), extras, install: values.install, holdfast };
    return { kind: "asked", sure: values.yes, wishes };
  } catch (error) {
    if (error instanceof TypeError) return { kind: "wrong", sentence: error.message };
    throw error;
  }
}

const options = /** @type {const} */ ({
  help: { type: "boolean", short: "h", default: false },
  yes: { type: "boolean", short: "y", default: false },
  tailwind: { type: "boolean", default: false },
  sqlite: { type: "boolean", default: false },
  docker: { type: "boolean", default: true },
  install: { type: "boolean", default: true },
  holdfast: { type: "string" },
});

/** The starter and the framework are released together, with one version. */
function ownVersion() {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return version;
}

/** @param {string} text */
function versionOf(text) {
  return existsSync(text) ? `file:${resolve(text).replaceAll("\\", "/")}` : text;
}
