import { type AlertMessage, cut, factsOf, sourceText } from "../messages/alert-message.ts";
import { escapeHtml } from "../messages/as-html.ts";

/** Telegram refuses more than 4,096 characters, counted without tags. The rest of a message needs about 1,000. */
const limits = { title: 500, code: 2_000, fact: 200 };

export function telegramBody(chat: string, message: AlertMessage): object {
  const { reason, title, source, link } = message;
  const text = [
    `<b>${escapeHtml(reason)}: <a href="${escapeHtml(link)}">${escapeHtml(cut(title, limits.title))}</a></b>`,
    ...(source
      ? [escapeHtml(cut(source.file, limits.fact)), `<pre>${escapeHtml(cut(sourceText(source), limits.code))}</pre>`]
      : []),
    ...factsOf(message).map(([label, value]) => `${label}: ${escapeHtml(cut(value, limits.fact))}`),
  ].join("\n");
  return { chat_id: chat, text, parse_mode: "HTML", link_preview_options: { is_disabled: true } };
}
