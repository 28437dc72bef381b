import { type AlertMessage, cut, factsOf, itemLines, sourceText } from "../messages/alert-message.ts";

/** A Teams message may have 28 KB in all. */
const limits = { title: 1_000, code: 8_000, fact: 1_000 };

/** For a workflow "when a webhook request is received", which expects an adaptive card. */
export function teamsBody(message: AlertMessage): object {
  const { reason, title, source, link } = message;
  const text = (words: string, more: object = {}): object => ({ type: "TextBlock", text: words, wrap: true, ...more });
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            text(reason, { isSubtle: true, spacing: "None" }),
            text(cut(title, limits.title), { weight: "Bolder", size: "Medium" }),
            ...(source
              ? [
                  text(source.file, { isSubtle: true, size: "Small" }),
                  text(cut(sourceText(source), limits.code).replaceAll("\n", "\n\n"), {
                    fontType: "Monospace",
                    size: "Small",
                  }),
                ]
              : []),
            ...(message.items.length > 0 ? [text(cut(itemLines(message).join("\n\n"), limits.code))] : []),
            {
              type: "FactSet",
              facts: factsOf(message).map(([label, value]) => ({ title: label, value: cut(value, limits.fact) })),
            },
          ],
          actions: [{ type: "Action.OpenUrl", title: "Open in the console", url: link }],
        },
      },
    ],
  };
}
