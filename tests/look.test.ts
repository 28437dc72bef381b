import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../scripts/root.js";

const read = (pattern: string): string =>
  globSync(pattern, { cwd: root })
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");

const tokens = read("look/tokens.css");
const [, ...pairs] = tokens.split(/^ {2}--/m);
const colours = new Map(
  pairs.flatMap((pair) => {
    const [, name = "", light = "", dark = ""] = /^([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/.exec(pair) ?? [];
    return name === "" ? [] : [[name, { light, dark }] as const];
  }),
);

describe("the look that console and tour share", () => {
  test.each(["console", "tour"])("%s uses only names that are defined", (application) => {
    const styles = read(`${application}/src/**/*.css`);
    const defined = new Set([...`${tokens}${styles}`.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
    const used = new Set([...styles.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name));
    expect(used.size).toBeGreaterThan(10);
    expect([...used].filter((name) => !defined.has(name))).toEqual([]);
  });

  test("source code is readable on its ground and on the failing line: a contrast of 4.5 at least", () => {
    const inks = ["ink", "soft", "code-keyword", "code-string", "code-number", "code-comment"];
    for (const theme of ["light", "dark"] as const)
      for (const ground of ["sunk", "bad-wash"])
        for (const ink of inks)
          expect(contrast(ink, ground, theme), `${ink} on ${ground}, ${theme}`).toBeGreaterThanOrEqual(4.5);
  });
});

function contrast(ink: string, ground: string, theme: "light" | "dark"): number {
  const [lighter = 0, darker = 0] = [ink, ground]
    .map((name) => luminance(colours.get(name)?.[theme] ?? ""))
    .sort()
    .reverse();
  return (lighter + 0.05) / (darker + 0.05);
}

/** As WCAG defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
