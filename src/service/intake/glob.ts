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
