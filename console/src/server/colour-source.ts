/** A piece of a source line: its kind and its text. */
export type Token = readonly [kind: "" | "remark" | "text" | "number" | "word", text: string];

/** Context that an earlier line has opened. */
type Within = "code" | "remark" | "template";

const keywords = new Set(
  (
    "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for " +
    "from function get if implements import in instanceof interface is keyof let namespace new null of private protected public readonly return " +
    "satisfies set static super switch this throw true try type typeof undefined using var void while with yield " +
    "def elif except lambda None not or pass self True False and func package struct fn impl match mut pub use"
  ).split(" "),
);

// Comment, rest of a line after // or #, strings, numbers, names. Anything else is matched by character.
const piece =
  /\/\*[\s\S]*?(?:\*\/|$)|\/\/.*|#\s.*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?|\b\d[\w.]*|[A-Za-z_$][\w$]*|[^\w$"'`/#]+|./g;

/** Longer lines are bundles, where colours do not help. */
const longestLine = 1_000;

/** Colours a few lines from the middle of a file, approximately: it does not know the language, and never fails. */
export function colourLines(lines: readonly string[]): Token[][] {
  let within: Within = "code";
  return lines.map((line) => {
    if (line.length > longestLine) return [["", line]];
    const tokens: Token[] = [];
    let rest = line;
    if (within !== "code") {
      const end = rest.indexOf(within === "remark" ? "*/" : "`");
      const cut = end < 0 ? rest.length : end + (within === "remark" ? 2 : 1);
      tokens.push([within === "remark" ? "remark" : "text", rest.slice(0, cut)]);
      rest = rest.slice(cut);
      if (end >= 0) within = "code";
    } else if (/^\s*\*(?:\s|\/|$)/.test(rest)) {
      // The middle of a comment that begins above the excerpt.
      return [["remark", rest]];
    }
    for (const [text] of rest.matchAll(piece)) {
      const kind = kindOf(text);
      within = opens(text) ?? within;
      const last = tokens.at(-1);
      if (last?.[0] === kind) tokens[tokens.length - 1] = [kind, last[1] + text];
      else tokens.push([kind, text]);
    }
    return tokens;
  });
}

function kindOf(text: string): Token[0] {
  if (/^(?:\/[/*]|#\s)/.test(text)) return "remark";
  if (/^["'`]/.test(text)) return "text";
  if (/^\d/.test(text)) return "number";
  return keywords.has(text) ? "word" : "";
}

function opens(text: string): Within | undefined {
  if (text.startsWith("/*") && !text.endsWith("*/")) return "remark";
  return text.startsWith("`") && (text.length === 1 || !text.endsWith("`")) ? "template" : undefined;
}
