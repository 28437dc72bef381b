import { type AlertMessage, factsOf, furtherItems, itemText, sourceText } from "./alert-message.ts";

/** Markdown that shows text as it is: everything that could be markup is escaped. */
export function asMarkdown(message: AlertMessage): string {
  const { reason, title, source, link } = message;
  return [
    `**${escapeMarkdown(reason)}: [${escapeMarkdown(title)}](${link})**`,
    ...(source ? ["", `${escapeMarkdown(source.file)}`, "", fenced(sourceText(source))] : []),
    ...(message.items.length > 0 ? ["", ...listOf(message)] : []),
    "",
    factsOf(message)
      .map(([label, value]) => `${label}: ${escapeMarkdown(value)}`)
      .join(" · "),
  ].join("\n");
}

function listOf(message: AlertMessage): string[] {
  const further = furtherItems(message);
  const items = message.items.map((item) => `- [${escapeMarkdown(itemText(item))}](${item.link})`);
  return further === "" ? items : [...items, `- ${further}`];
}

/** A name such as `@channel` must not notify everyone, so a character without width separates the sign from it. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]()!|<>~]|^[-#+]/g, "\\$&")
    .replaceAll(/(^|\W)@/g, "$1@\u200b")
    .replaceAll(/\s*\n\s*/g, " ");
}

/** A fence that is longer than any in the text. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
