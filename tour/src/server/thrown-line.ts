import type { CodePiece } from "../parts/code.tsx";
import { sourcesOf } from "./sources.ts";

export interface SourceLine {
  number: number;
  pieces: readonly CodePiece[];
  throws: boolean;
}

export interface Thrown {
  route: string;
  /** Without its folders. */
  file: string;
  message: string;
  lines: readonly SourceLine[];
}

/** The line of a page's server file that throws, with its neighbours: the picture of the start page shows real code. */
export function thrownBy(route: string): Thrown | undefined {
  const source = sourcesOf(route).find(({ file }) => file.endsWith(".server.ts"));
  if (!source) return undefined;
  const lines = linesOf(source.pieces).map((pieces, index) => ({
    number: index + 1,
    pieces,
    throws: pieces.some(([kind, text]) => kind === "word" && text === "throw"),
  }));
  const failing = lines.findIndex((line) => line.throws);
  const message = lines[failing]?.pieces.find(([kind]) => kind === "text")?.[1].slice(1, -1) ?? "";
  const file = source.file.slice(source.file.lastIndexOf("/") + 1);
  return { route, file, message, lines: lines.slice(failing - 1, failing + 2) };
}

function linesOf(pieces: readonly CodePiece[]): CodePiece[][] {
  const lines: CodePiece[][] = [[]];
  for (const [kind, text] of pieces)
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push([kind, part]);
    }
  return lines;
}
