/**
 * Control characters but tab and line break, and the marks that turn the direction of writing. A terminal obeys the
 * ones: they move the cursor, change its title, or answer as if its owner had typed. By the others a line reads
 * otherwise than it is.
 */
const obeyed = /(?![\t\n])[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Text of anyone for a terminal: nothing in it is obeyed. Each such character is written as in JSON, so that JSON stays
 * the same.
 */
export function plainText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same for a part of a line: a line break would begin a line that looks like one of ours. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll("\n", "\\n");
}
