/**
 * Compiles a pattern in which `*` stands for any text, without regard to case. It is matched piece by piece, without
 * backtracking, so that no pattern and no text can make it slow.
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const last = rest.pop();
  return (text) => {
    const lower = text.toLowerCase();
    if (last === undefined) return lower === first;
    if (!lower.startsWith(first) || !lower.endsWith(last) || lower.length < first.length + last.length) return false;
    const end = lower.length - last.length;
    let at = first.length;
    for (const piece of rest) {
      const found = lower.indexOf(piece, at);
      if (found < 0 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}

/** A name with `*`, or any number of names. */
type NamePattern = "any-depth" | ((name: string) => boolean);

/**
 * Compiles a list of names in which `*` stands for any text and the name `**` for any number of names. All ways to
 * match are followed together, so that the work is at most the names of the pattern times those of the path.
 */
export function compileNames(names: readonly string[]): (path: readonly string[]) => boolean {
  const patterns = names.map((name): NamePattern => (name === "**" ? "any-depth" : compileGlob(name)));
  return (path) => isAt(patterns, path);
}

function isAt(patterns: readonly NamePattern[], path: readonly string[]): boolean {
  /** Whether this many patterns match the names so far. */
  const reached = new Array<boolean>(patterns.length + 1).fill(false);
  reached[0] = true;
  skipAnyDepth(patterns, reached);
  for (const name of path) {
    for (let count = patterns.length; count >= 0; count -= 1) {
      const before = patterns[count - 1];
      const stays = reached[count] === true && patterns[count] === "any-depth";
      reached[count] = stays || (reached[count - 1] === true && typeof before === "function" && before(name));
    }
    skipAnyDepth(patterns, reached);
  }
  return reached[patterns.length] === true;
}

/** `**` may stand for nothing. */
function skipAnyDepth(patterns: readonly NamePattern[], reached: boolean[]): void {
  for (const [index, pattern] of patterns.entries())
    if (pattern === "any-depth" && reached[index] === true) reached[index + 1] = true;
}
