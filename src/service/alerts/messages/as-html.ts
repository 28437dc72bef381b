import { type AlertMessage, factsOf, furtherItems, sourceText } from "./alert-message.ts";

const colors = {
  ink: "#14201b",
  faint: "#5a6b63",
  paper: "#fbfcfb",
  edge: "#d5ddd8",
  code: "#eef2f0",
  failing: "#ffe1dd",
  link: "#0a6b4f",
} as const;

/** Mail programs in a dark theme use these; others ignore them. */
const dark = `@media (prefers-color-scheme: dark) {
body, .paper { background: #0d1512 !important; color: #e6efe9 !important }
.faint { color: #9db0a6 !important } .code { background: #17211c !important; border-color: #2b3932 !important }
.link { color: #7fd6b4 !important } .failing { background: #4a1f1a !important } .button { background: #e6efe9 !important; color: #0d1512 !important }
}`;

/** A mail. Styles are inline, because mail programs drop style sheets; widths are fluid, because many are phones. */
export function asHtml(message: AlertMessage): string {
  const { reason, title, link, source } = message;
  const facts = factsOf(message).map(
    ([label, value]) =>
      `<tr><td class="faint" style="padding:2px 16px 2px 0;color:${colors.faint};white-space:nowrap;vertical-align:top">${escapeForHtml(label)}</td>` +
      `<td style="padding:2px 0;word-break:break-word">${escapeForHtml(value)}</td></tr>`,
  );
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">`,
    `<title>${escapeForHtml(`${reason}: ${title}`)}</title><style>${dark}</style></head>`,
    `<body style="margin:0;background:${colors.paper};color:${colors.ink};font:16px/1.5 system-ui,sans-serif">`,
    `<div class="paper" style="max-width:640px;margin:0 auto;padding:24px 16px;background:${colors.paper};color:${colors.ink}">`,
    `<p class="faint" style="margin:0 0 4px;color:${colors.faint}">${escapeForHtml(reason)}</p>`,
    `<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;word-break:break-word">${escapeForHtml(title)}</h1>`,
    ...(source ? [sourceHtml(source.file, sourceText(source), source.lines)] : []),
    ...(message.items.length > 0 ? [itemsHtml(message)] : []),
    `<table role="presentation" style="border-collapse:collapse;margin:0 0 24px;font-size:15px">${facts.join("")}</table>`,
    `<p style="margin:0 0 24px"><a class="button" href="${escapeForHtml(link)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:${colors.ink};color:${colors.paper};text-decoration:none">Open in the console</a></p>`,
    `</div></body></html>`,
  ].join("\n");
}

function itemsHtml(message: AlertMessage): string {
  const items = message.items.map(
    ({ text, link }) =>
      `<li style="margin:0 0 4px;word-break:break-word"><a class="link" href="${escapeForHtml(link)}" style="color:${colors.link}">${escapeForHtml(text)}</a></li>`,
  );
  const further = furtherItems(message);
  return [
    `<ul style="margin:0 0 16px;padding:0 0 0 20px">`,
    ...items,
    ...(further === "" ? [] : [`<li class="faint" style="color:${colors.faint}">${further}</li>`]),
    "</ul>",
  ].join("\n");
}

function sourceHtml(file: string, text: string, lines: readonly { isFailing: boolean }[]): string {
  const rows = text
    .split("\n")
    .map((line, at) =>
      lines[at]?.isFailing
        ? `<span class="failing" style="background:${colors.failing}">${escapeForHtml(line)}</span>`
        : escapeForHtml(line),
    )
    .join("\n");
  return [
    `<p class="faint" style="margin:0 0 4px;color:${colors.faint};font-size:14px;word-break:break-word">${escapeForHtml(file)}</p>`,
    `<pre class="code" style="margin:0 0 16px;padding:12px;overflow:auto;background:${colors.code};border:1px solid ${colors.edge};border-radius:6px;font:13px/1.6 ui-monospace,monospace">${rows}</pre>`,
  ].join("\n");
}

export function escapeForHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
