import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { howToInstall, installOnDebian } from "./debian-packages.js";

/** @typedef {{ kind: "found", path: string } | { kind: "missing", why: string }} FoundProgram */

/**
 * A program for the tests: the one that the variable names, the system's, or (as root on Debian) the package of the
 * same name, installed now.
 * @param {string} name
 * @param {string} variable
 * @returns {FoundProgram}
 */
export function findProgram(name, variable) {
  const named = process.env[variable];
  if (named)
    return existsSync(named)
      ? { kind: "found", path: named }
      : { kind: "missing", why: `${variable} is ${named}, and there is no such file.` };
  const path = systemProgram(name) ?? (installOnDebian(name) ? systemProgram(name) : undefined);
  if (path) return { kind: "found", path };
  const how = howToInstall(name, name);
  return { kind: "missing", why: `No ${name} was found; ${how}, or set ${variable} to the program.` };
}

/** @param {string} name */
export function systemProgram(name) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
