import { readFileSync } from "node:fs";
import path from "node:path";

export interface Position {
  file: string;
  line: number;
  column: number;
}

/** A source line with the lines around it. */
export interface Excerpt {
  /** Relative to the application. */
  file: string;
  path: string;
  line: number;
  column: number;
  lines: readonly { number: number; text: string }[];
}

/** Enough to recognize the place without scrolling. */
const linesAround = 4;

export function excerptOf({ file, line, column }: Position, root: string): Excerpt | undefined {
  const all = linesOf(file);
  if (!all || line > all.length) return undefined;
  const first = Math.max(1, line - linesAround);
  const lines = all.slice(first - 1, line + linesAround).map((text, index) => ({ number: first + index, text }));
  return { file: path.relative(root, file), path: file, line, column, lines };
}

/** Returns nothing for a file that was deleted since it ran. */
function linesOf(file: string): string[] | undefined {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/);
  } catch {
    return undefined;
  }
}
