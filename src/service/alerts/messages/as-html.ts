import { type AlertMessage, type AlertSource, cut, factsOf, furtherItems } from "./alert-message.ts";
import { mailColors as colors, mailFonts, mailStyles } from "./mail-look.ts";

/** Shown in a row of figures, and not in the list of facts. */
const figures: ReadonlySet<string> = new Set(["Events", "Visitors"]);
/** Read character by character. */
const exact: ReadonlySet<string> = new Set(["Route", "Release", "Digest"]);

/**
 * A mail. Layout by tables and inline styles, because mail programs drop style sheets; widths are fluid, because many
 * are phones. It loads nothing, so that the sender does not learn of the reading.
 */
export function asHtml(message: AlertMessage): string {
  const { reason, title, link, source, project } = message;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">`,
    `<title>${escapeForHtml(`${reason}: ${title}`)}</title><style>${mailStyles}</style></head>`,
    `<body class="frame" style="margin:0;padding:0;background:${colors.frame};color:${colors.ink};font-family:${mailFonts.sans}">`,
    // The line that lists of mails show after the subject.
    `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeForHtml(inShort(message))}</div>`,
    `<table role="presentation" class="frame" width="100%" cellpadding="0" cellspacing="0" style="background:${colors.frame}"><tr><td align="center" style="padding:24px 12px">`,
    `<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0"><tr><td><![endif]-->`,
    `<table role="presentation" class="panel" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background:${colors.panel};border:1px solid ${colors.hair};border-radius:10px"><tr><td align="left" style="padding:24px;font:15px/24px ${mailFonts.sans}">`,
    headHtml(message),
    `<h1 style="margin:12px 0 20px;font:600 20px/28px ${mailFonts.sans};word-break:break-word">${escapeForHtml(title)}</h1>`,
    ...(source ? [sourceHtml(source)] : []),
    ...(message.items.length > 0 ? [itemsHtml(message)] : []),
    figuresHtml(message),
    factsHtml(message),
    buttonHtml(link),
    `</td></tr></table>`,
    `<!--[if mso]></td></tr></table><![endif]-->`,
    `<p class="faint" style="max-width:552px;margin:16px auto 0;color:${colors.faint};font:12px/18px ${mailFonts.sans};text-align:left">`,
    `Sent by the alerts of ${escapeForHtml(project.name)}. Its owners change rules, channels and quiet hours under Alerts in the console.</p>`,
    `</td></tr></table></body></html>`,
  ].join("\n");
}

function inShort({ route, release, events, visitors }: AlertMessage): string {
  const counted = (n: number | undefined, one: string): string =>
    n === undefined ? "" : `${n.toLocaleString("en-US")} ${n === 1 ? one : `${one}s`}`;
  return [route ?? "", release ?? "", counted(visitors, "visitor"), counted(events, "event")]
    .filter((part) => part !== "")
    .join(" · ");
}

function headHtml({ project, reason, level, at }: AlertMessage): string {
  const [mark, color, ground] = markOf(level);
  return [
    `<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr>`,
    `<td style="font:600 13px/20px ${mailFonts.sans};padding-right:12px;word-break:break-word">${escapeForHtml(project.name)}</td>`,
    `<td class="faint" align="right" style="color:${colors.faint};font:13px/20px ${mailFonts.sans};white-space:nowrap">${timeOf(at)}</td>`,
    `</tr></table>`,
    `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:20px 0 0"><tr>`,
    `<td class="${mark}" style="padding:2px 8px;border-radius:5px;background:${ground};color:${color};font:600 12px/18px ${mailFonts.sans}">${escapeForHtml(reason)}</td>`,
    `</tr></table>`,
  ].join("\n");
}

function markOf(level: string): readonly [mark: string, color: string, ground: string] {
  if (level === "error" || level === "fatal") return ["bad", colors.bad, colors.badWash];
  if (level === "warning") return ["warn", colors.warn, colors.warnWash];
  return ["calm", colors.accent, colors.wash];
}

/** Without the reader's time zone, which a mail does not know. */
function timeOf(at: number): string {
  const format = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  return `${new Intl.DateTimeFormat("en-GB", { ...format, timeZone: "UTC" }).format(at)} UTC`;
}

function itemsHtml(message: AlertMessage): string {
  const rows = message.items.map(({ text, link, label, note }) => {
    const second = [label, note].filter((part) => part !== undefined).join(" · ");
    return [
      `<tr><td class="hair" style="padding:10px 0;border-top:1px solid ${colors.hair}">`,
      `<a class="ink" href="${escapeForHtml(link)}" style="color:${colors.ink};font:600 14px/20px ${mailFonts.sans};text-decoration:none;word-break:break-word">${escapeForHtml(cut(text, 200))}</a>`,
      second === ""
        ? ""
        : `<br><span class="faint" style="color:${colors.faint};font:13px/20px ${mailFonts.sans}">${escapeForHtml(second)}</span>`,
      `</td></tr>`,
    ].join("");
  });
  const further = furtherItems(message);
  return [
    `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 12px">`,
    ...rows,
    ...(further === ""
      ? []
      : [
          `<tr><td class="faint hair" style="padding:10px 0;border-top:1px solid ${colors.hair};color:${colors.faint};font:13px/20px ${mailFonts.sans}">${further}</td></tr>`,
        ]),
    `</table>`,
  ].join("\n");
}

function figuresHtml(message: AlertMessage): string {
  const cells = factsOf(message).flatMap(([label, value]) =>
    figures.has(label)
      ? [
          `<td style="padding-right:32px"><span class="faint" style="color:${colors.faint};font:13px/20px ${mailFonts.sans}">${label}</span><br>` +
            `<span style="font:600 22px/28px ${mailFonts.sans}">${escapeForHtml(value)}</span></td>`,
        ]
      : [],
  );
  if (cells.length === 0) return "";
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 12px"><tr>${cells.join("")}</tr></table>`;
}

function factsHtml(message: AlertMessage): string {
  const rows = factsOf(message).flatMap(([label, value]) =>
    figures.has(label) || label === "Project"
      ? []
      : [
          `<tr><td class="faint" width="104" style="padding:4px 12px 4px 0;color:${colors.faint};font:13px/20px ${mailFonts.sans};vertical-align:top">${label}</td>` +
            `<td style="padding:4px 0;font:13px/20px ${exact.has(label) ? mailFonts.mono : mailFonts.sans};word-break:break-word">${escapeForHtml(value)}</td></tr>`,
        ],
  );
  if (rows.length === 0) return "";
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${rows.join("\n")}</table>`;
}

/** Outlook ignores the space inside of a link and takes that of its cell. */
function buttonHtml(link: string): string {
  return [
    `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:24px 0 0"><tr>`,
    `<td class="button" bgcolor="${colors.accent}" style="border-radius:7px;background:${colors.accent};mso-padding-alt:11px 20px">`,
    `<a class="button" href="${escapeForHtml(link)}" style="display:inline-block;padding:11px 20px;border-radius:7px;background:${colors.accent};color:${colors.onAccent};font:600 15px/22px ${mailFonts.sans};text-decoration:none">Open in the console</a>`,
    `</td></tr></table>`,
  ].join("");
}

/**
 * Long lines wrap: many mail programs cannot scroll a part of a mail. The rest of a line begins further in than the
 * line, so that it is not taken for the next one.
 */
function sourceHtml({ file, lines }: AlertSource): string {
  const texts = lines.map(({ text }) => text.replaceAll("\t", "  "));
  const indents = texts.filter((text) => text.trim() !== "").map((text) => text.length - text.trimStart().length);
  const shared = Math.min(...indents, 40);
  const rows = lines.map(({ number, isFailing }, at) => {
    const code = texts[at]?.slice(shared) ?? "";
    const hang = hangPixels(code);
    const ground = isFailing ? `background:${colors.badWash};` : "";
    const edge = `border-left:2px solid ${isFailing ? colors.badFill : colors.sunk}`;
    return (
      `<tr><td class="${isFailing ? "bad edge" : "faint sunk-edge"}" align="right" style="padding:0 12px 0 8px;${edge};${ground}color:${isFailing ? colors.bad : colors.faint};font:${isFailing ? 600 : 400} 12px/20px ${mailFonts.mono};vertical-align:top">${number}</td>` +
      `<td class="${isFailing ? "failing" : ""}" width="100%" style="padding:0 12px 0 ${hang}px;text-indent:-${hang}px;${ground}font:12px/20px ${mailFonts.mono};word-break:break-word">${codeHtml(code)}</td></tr>`
    );
  });
  return [
    `<table role="presentation" class="sunk hair" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 20px;background:${colors.sunk};border:1px solid ${colors.hair};border-radius:7px;border-collapse:separate">`,
    `<tr><td class="soft hair" colspan="2" style="padding:8px 12px;border-bottom:1px solid ${colors.hair};color:${colors.soft};font:12px/18px ${mailFonts.mono};word-break:break-word">${escapeForHtml(file)}</td></tr>`,
    `<tr><td colspan="2" style="height:6px;line-height:6px;font-size:1px">&nbsp;</td></tr>`,
    ...rows,
    `<tr><td colspan="2" style="height:6px;line-height:6px;font-size:1px">&nbsp;</td></tr>`,
    `</table>`,
  ].join("\n");
}

/** Two letters more than the line, at most a third of a phone. */
function hangPixels(code: string): number {
  const indent = code.length - code.trimStart().length;
  return Math.round(Math.min(indent + 2, 16) * letterPixels);
}

/** Width of a letter of 12 px in the fonts of code. */
const letterPixels = 7.2;

/** Spaces at the beginning stay, and the others may break the line. */
function codeHtml(text: string): string {
  const rest = text.trimStart();
  return rest === "" ? "&nbsp;" : "&nbsp;".repeat(text.length - rest.length) + escapeForHtml(rest);
}

export function escapeForHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
