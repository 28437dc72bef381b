import { type AlertMessage, cut, factsOf, itemLines, sourceText } from "../messages/alert-message.ts";
import { escapeMarkdown, fenced } from "../messages/as-markdown.ts";

/** Discord's limits of an embed. */
const limits = { title: 256, description: 4_096, field: 1_024 };

/** As in the console. */
const red = 0xc2_3b_2e;
const amber = 0xb3_7a_00;

export function discordBody(message: AlertMessage): object {
  const { reason, title, level, source, link, at } = message;
  return {
    // A name in an error message notifies no one.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        author: { name: cut(reason, limits.title) },
        title: cut(escapeMarkdown(title), limits.title),
        url: link,
        color: level === "error" || level === "fatal" ? red : amber,
        timestamp: new Date(at).toISOString(),
        ...(source && { description: description(source.file, sourceText(source)) }),
        ...(message.items.length > 0 && { description: listOf(message) }),
        fields: factsOf(message).map(([name, value]) => ({
          name,
          value: cut(escapeMarkdown(value), limits.field),
          inline: true,
        })),
      },
    ],
  };
}

/** Cuts the code inside its fence. */
function description(file: string, code: string): string {
  const head = `${cut(escapeMarkdown(file), 500)}\n`;
  return head + fenced(cut(code, limits.description - head.length - 20));
}

function listOf(message: AlertMessage): string {
  return cut(itemLines(message).map(escapeMarkdown).join("\n"), limits.description);
}
