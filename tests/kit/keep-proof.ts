import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/root.js";

/**
 * Writes the result of a long run to `docs/proofs/NAME.md`: date, commit, seed, and the lines of the test itself
 * (Markdown, one paragraph or list item each). Only `npm run test:long` proves enough to be kept; in a short run this
 * does nothing.
 */
export function keepProof(name: string, lines: readonly string[], seed?: number | string): void {
  if (process.env.HOLDFAST_TEST_LONG === undefined) return;
  const folder = join(root, "docs/proofs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.md`), writeProof(name, lines, seed, new Date(), commitOfThisTree()));
}

/** The text of one proof. */
export function writeProof(
  name: string,
  lines: readonly string[],
  seed: number | string | undefined,
  date: Date,
  commit: string,
): string {
  const heading = name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
  const facts = [
    `- Date: ${date.toISOString().slice(0, 16).replace("T", " ")} UTC`,
    `- Commit: ${commit}`,
    ...(seed === undefined ? [] : [`- Seed: ${seed}`]),
  ];
  return `# ${heading}\n\n${facts.join("\n")}\n\n${lines.join("\n")}\n`;
}

/** Marks a tree with uncommitted changes, because the proof applies to the tree. */
function commitOfThisTree(): string {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/proofs") !== "";
  return git("rev-parse", "--short=12", "HEAD") + (changed ? ", with changes" : "");
}
