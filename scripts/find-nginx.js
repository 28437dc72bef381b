import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { howToInstall, installOnDebian } from "./debian-packages.js";

/** @typedef {{ kind: "found", path: string } | { kind: "missing", why: string }} FoundNginx */

/**
 * The program nginx for the tests: the one that NGINX names, the system's, or (as root on Debian) Debian's package,
 * installed now.
 * @returns {FoundNginx}
 */
export function findNginx() {
  const named = process.env.NGINX;
  if (named)
    return existsSync(named)
      ? { kind: "found", path: named }
      : { kind: "missing", why: `NGINX is ${named}, and there is no such file.` };
  const path = systemNginx() ?? (installOnDebian("nginx") ? systemNginx() : undefined);
  if (path) return { kind: "found", path };
  const how = howToInstall("nginx", "nginx");
  return { kind: "missing", why: `No nginx was found; ${how}, or set NGINX to the program.` };
}

function systemNginx() {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"];
  return folders.map((folder) => join(folder, "nginx")).find((path) => existsSync(path));
}
