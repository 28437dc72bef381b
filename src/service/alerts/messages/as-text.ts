import { type AlertMessage, factsOf, furtherItems, itemText, sourceText } from "./alert-message.ts";

/** For mail programs without HTML, and for everything that shows no markup. */
export function asText(message: AlertMessage): string {
  const { reason, title, source, link } = message;
  const further = furtherItems(message);
  return [
    `${reason}: ${title}`,
    "",
    ...(source ? [source.file, sourceText(source), ""] : []),
    ...message.items.flatMap((item) => [`• ${itemText(item)}`, `  ${item.link}`, ""]),
    ...(further === "" ? [] : [further, ""]),
    ...factsOf(message).map(([label, value]) => `${label}: ${value}`),
    "",
    `Open in the console: ${link}`,
    "",
  ].join("\n");
}
