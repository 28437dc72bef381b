/**
 * Finds the name of the function that encloses a source line, in the source text: minified code has no names of
 * functions that are never called by name, such as components and handlers. Indentation shows the nesting.
 */
export function enclosingFunction(lines: readonly string[], line: number): string | undefined {
  let limit = indentOf(lines[line - 1] ?? "");
  // The line itself may declare the function: `const total = (items) => items.reduce(…)`.
  const own = nameIn(lines[line - 1] ?? "");
  if (own !== undefined) return own;
  for (let at = line - 2; at >= 0 && line - at < farthestLines && limit > 0; at--) {
    const text = lines[at] ?? "";
    if (text.trim() === "" || indentOf(text) >= limit) continue;
    limit = indentOf(text);
    const name = nameIn(text);
    if (name !== undefined) return name;
  }
  return undefined;
}

// Longer functions exist, but their name is not worth the search for every frame.
const farthestLines = 400;

const forms: readonly RegExp[] = [
  /\bfunction\s*\*?\s*([\w$]+)\s*[<(]/,
  /\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|(?:<[^>]*>\s*)?(?:\((?:[^()]|\([^()]*\))*\)\s*(?::[^=]*)?=>|\([^()]*$)|[\w$]+\s*=>|(?:[\w$]+\.)?(?:memo|forwardRef|load|action|guard|useCallback|useMemo|debounce|throttle)(?:<[^>]*>)?\()/,
  /^\s*(?:(?:public|private|protected|static|async|override|get|set)\s+)*\*?#?([\w$]+)\s*(?:<[^>]*>)?\([^)]*\)\s*(?::\s*[^{;]+)?\{\s*$/,
  /^\s*([\w$]+)\s*:\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::\s*[^=]+)?=>)/,
];

const keywords = new Set(["if", "for", "while", "switch", "catch", "function", "with", "return"]);

// A longer line is generated code, whose function names are not worth showing.
const longestLine = 300;

function nameIn(text: string): string | undefined {
  if (text.length > longestLine) return undefined;
  for (const form of forms) {
    const name = form.exec(text)?.[1];
    if (name !== undefined && !keywords.has(name)) return name;
  }
  return undefined;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
