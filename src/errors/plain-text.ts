/**
 * Control characters except tab and line break, and bidirectional marks. A terminal interprets the former: they move
 * the cursor, change its title, or send input as if typed. The latter make a line appear different from its content.
 */
const obeyed = /(?![\t\n])[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Most texts have only characters that are safe, which is seen in a third of the time: each line of the log is one. */
const unusual = /[^\t\n -~]/;

/**
 * Escapes untrusted text for a terminal, so that it interprets nothing. Each character is written as in JSON, so that
 * JSON stays valid.
 */
export function plainText(text: string): string {
  if (!unusual.test(text)) return text;
  return text
    .replaceAll("\r\n", "\n")
    .replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Escapes a part of a line, too: a line break would start a line that looks like one of ours. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll("\n", "\\n");
}
