import { type AlertMessage, cut, factsOf, itemLines, sourceText } from "../messages/alert-message.ts";
import { escapeForHtml } from "../messages/as-html.ts";

/** Telegram refuses more than 4,096 characters, counted without tags. The rest of a message needs about 1,000. */
const limits = { title: 500, code: 2_000, fact: 200 };

export function telegramBody(chat: string, message: AlertMessage): object {
  const { reason, title, source, link } = message;
  const text = [
    `<b>${escapeForHtml(reason)}: <a href="${escapeForHtml(link)}">${escapeForHtml(cut(title, limits.title))}</a></b>`,
    ...(source
      ? [
          escapeForHtml(cut(source.file, limits.fact)),
          `<pre>${escapeForHtml(cut(sourceText(source), limits.code))}</pre>`,
        ]
      : []),
    ...(message.items.length > 0 ? [escapeForHtml(cut(itemLines(message).join("\n"), limits.code))] : []),
    ...factsOf(message).map(([label, value]) => `${label}: ${escapeForHtml(cut(value, limits.fact))}`),
  ].join("\n");
  return { chat_id: chat, text, parse_mode: "HTML", link_preview_options: { is_disabled: true } };
}
