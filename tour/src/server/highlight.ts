import type { CodePiece } from "../parts/code.tsx";

type Language = "code" | "shell" | "plain";

const languages: Readonly<Record<string, Language>> = {
  ts: "code",
  tsx: "code",
  js: "code",
  jsx: "code",
  json: "code",
  sh: "shell",
};

const words =
  "as|async|await|break|case|catch|class|const|continue|default|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|return|satisfies|switch|throw|true|try|type|typeof|undefined|while";

/** Enough for reading: comments, strings and keywords. One pass, no grammar. */
const patterns: Readonly<Record<Exclude<Language, "plain">, RegExp>> = {
  code: new RegExp(
    [
      String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
      String.raw`(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\x60(?:[^\x60\\]|\\.)*\x60)`,
      String.raw`(?<tag><\/?[A-Za-z][\w.]*|\/?>)`,
      String.raw`(?<word>\b(?:${words})\b)`,
      String.raw`(?<number>\b\d[\d_.]*\b)`,
    ].join("|"),
    "g",
  ),
  shell: /(?<comment>(?<=^|\s)#[^\n]*)|(?<text>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')|(?<word>^\s*(?:[A-Z_]+=\S+ )*[\w.-]+)/gm,
};

/** Splits a text into coloured pieces. Joined, they equal the text. */
export function highlight(text: string, language: string): CodePiece[] {
  const kind = languages[language] ?? "plain";
  return kind === "plain" ? [["", text]] : cut(text, patterns[kind]);
}

function cut(text: string, pattern: RegExp): CodePiece[] {
  const pieces: CodePiece[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0] ?? "";
    if (match.index > at) pieces.push(["", text.slice(at, match.index)]);
    pieces.push([kind, match[0]]);
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push(["", text.slice(at)]);
  return pieces;
}
