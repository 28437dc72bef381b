import { spawnSync } from "node:child_process";
import { howToInstall, installOnDebian } from "./debian-packages.js";

/** The first has the program that is asked, the second the font. */
const debianPackages = ["fontconfig", "fonts-liberation"];
/** Arial, and those that have its widths. A page whose own font is late is shown in one of them. */
const widthsOfArial = /Arial|Liberation Sans|Arimo/;

/**
 * Whether the browser has a font with the widths of Arial; as root on Debian it is installed now.
 * @returns {{ kind: "found", family: string } | { kind: "missing", why: string }}
 */
export function findFonts() {
  const family = systemFont() ?? (installOnDebian(...debianPackages) ? systemFont() : undefined);
  if (family) return { kind: "found", family };
  return {
    kind: "missing",
    why: `No font has the widths of Arial; ${howToInstall("Liberation Sans", debianPackages.join(" "))}.`,
  };
}

function systemFont() {
  const { error, stdout } = spawnSync("fc-match", ["--format=%{family}", "Arial"], { encoding: "utf8" });
  // Windows and macOS do not have the program, and have Arial.
  if (error) return process.platform === "linux" ? undefined : "Arial";
  return widthsOfArial.test(stdout) ? stdout : undefined;
}
