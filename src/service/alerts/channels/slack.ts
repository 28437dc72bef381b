import { type AlertMessage, cut, factsOf, itemLines, sourceText } from "../messages/alert-message.ts";

/** Slack refuses a section of more than 3,000 characters, and more than ten fields of 2,000. */
const limits = { section: 3_000, field: 2_000, fields: 10 };

export function slackBody(message: AlertMessage): object {
  const { reason, title, source, link } = message;
  const heading = `*${escapeSlack(reason)}: <${link}|${escapeSlack(cut(title, 500))}>*`;
  const code =
    source && `${escapeSlack(source.file)}\n\`\`\`${escapeSlack(sourceText(source)).replaceAll("```", "'''")}\`\`\``;
  const list = escapeSlack(itemLines(message).join("\n"));
  const fields = factsOf(message)
    .slice(0, limits.fields)
    .map(([label, value]) => ({ type: "mrkdwn", text: cut(`*${label}*\n${escapeSlack(value)}`, limits.field) }));
  return {
    // For notifications, which show no blocks.
    text: `${escapeSlack(reason)}: ${escapeSlack(cut(title, 500))}`,
    unfurl_links: false,
    blocks: [
      { type: "section", text: { type: "mrkdwn", text: heading } },
      ...(code ? [{ type: "section", text: { type: "mrkdwn", text: cut(code, limits.section) } }] : []),
      ...(list === "" ? [] : [{ type: "section", text: { type: "mrkdwn", text: cut(list, limits.section) } }]),
      { type: "section", fields },
    ],
  };
}

/** Slack's own escapes. They also disarm `<!channel>`. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
