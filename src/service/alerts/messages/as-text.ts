import { type AlertMessage, factsOf, itemLines, sourceText } from "./alert-message.ts";

/** For mail programs without HTML, and for everything that shows no markup. */
export function asText(message: AlertMessage): string {
  const { reason, title, source, link } = message;
  return [
    `${reason}: ${title}`,
    "",
    ...(source ? [source.file, sourceText(source), ""] : []),
    ...(message.items.length > 0 ? [...itemLines(message), ""] : []),
    ...factsOf(message).map(([label, value]) => `${label}: ${value}`),
    "",
    link,
    "",
  ].join("\n");
}
