import type { Failure, StackLine } from "./failure.ts";
import { headline } from "./failure-lines.ts";

/** Renders a failure like the console's event view, for the overlay of the development server. */
export function failureView(failure: Failure, console: string | undefined): string {
  const { message, excerpt } = failure;
  const inApp = failure.stack.filter((line) => line.inApp);
  const open = excerpt && `${excerpt.path}:${excerpt.line}:${excerpt.column}`;
  return `<section class="failure" role="alertdialog" aria-label="${text(headline(failure))}">
<header><p class="kind">${text(headline(failure))}</p><button type="button" data-close aria-label="Close">✕</button></header>
<h1>${text(message)}</h1>
${factsView(failure)}
${excerpt ? `<figure><figcaption><code>${text(`${excerpt.file}:${excerpt.line}:${excerpt.column}`)}</code><button type="button" data-open="${text(open ?? "")}">Open in editor</button></figcaption><pre>${excerpt.lines.map(({ number, text: line }) => codeLine(number, line, excerpt.line)).join("")}</pre></figure>` : ""}
${failure.details === undefined ? "" : `<details><summary>What React says</summary><pre>${text(failure.details)}</pre></details>`}
${inApp.length > 0 ? `<h2>${failure.kind === "browser" ? "Stack in the browser" : "Stack on the server"}</h2><ol>${inApp.map(stackLine).join("")}</ol>` : ""}
${failure.stack.length > inApp.length ? `<details><summary>All ${failure.stack.length} calls</summary><ol>${failure.stack.map(stackLine).join("")}</ol></details>` : ""}
${failure.components.length > 0 ? `<h2>Components</h2><p><code>${failure.components.map(text).join(" ← ")}</code></p>` : ""}
${footerView(failure, console)}
</section>`;
}

/** Failures that are left out of reports have no digest. */
function footerView({ kind, digest }: Failure, console: string | undefined): string {
  if (!console || kind === "compile") return "";
  const [href, words] = digest
    ? [`${console}/d/${digest}`, `The event ${digest} in the console`]
    : [console, "The console"];
  return `<footer><a href="${text(href)}" target="_blank">${text(words)}</a></footer>`;
}

function factsView({ route, address, params }: Failure): string {
  const facts = [
    ["Route", route],
    ["Address", address],
    ...Object.entries(params).map(([name, value]) => [`params.${name}`, value]),
  ].filter(([, value]) => value !== undefined);
  if (facts.length === 0) return "";
  return `<dl>${facts.map(([name = "", value = ""]) => `<div><dt>${text(name)}</dt><dd><code>${text(value)}</code></dd></div>`).join("")}</dl>`;
}

/**
 * Keeps the newline outside of the mark, which is as wide as the excerpt: inside, the next line would start to its
 * right.
 */
function codeLine(number: number, line: string, failing: number): string {
  const shown = `<span class="number">${number}</span>${text(line)}`;
  return `${number === failing ? `<mark>${shown}</mark>` : shown}\n`;
}

function stackLine({ function: name, file, path, line, column, inApp }: StackLine): string {
  const position = `${file}${line === undefined ? "" : `:${line}`}${column === undefined ? "" : `:${column}`}`;
  const shown = path
    ? `<button type="button" class="place" data-open="${text(`${path}:${line ?? 1}:${column ?? 1}`)}">${text(position)}</button>`
    : `<span>${text(position)}</span>`;
  return `<li${inApp ? "" : ' class="foreign"'}><code>${text(name)}</code> ${shown}</li>`;
}

/** Escapes untrusted text, such as messages and paths, for elements and attributes. */
function text(raw: string): string {
  return raw.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Styles of the console: the same colours, in both themes. */
export const failureStyle = `
:host,.ground{--frame:#f2f4f3;--float:#fff;--sunk:#f5f7f6;--ink:#121917;--soft:#4c5752;--hair:#e6eae8;--edge:#d3dad6;--accent:#0a6b52;--bad:#b8241b;--bad-wash:#fdeeec;color-scheme:light dark}
@media(prefers-color-scheme:dark){:host,.ground{--frame:#0a0d0c;--float:#1a1f1d;--sunk:#0c100e;--ink:#e9eeeb;--soft:#a9b4ae;--hair:#212725;--edge:#303835;--accent:#4fcfa6;--bad:#ff8b7e;--bad-wash:#2b1513}}
.ground{position:fixed;inset:0;z-index:2147483647;overflow:auto;padding:5vh 16px;background:color-mix(in srgb,var(--frame) 82%,transparent);font:14px/20px system-ui,sans-serif;color:var(--ink)}
.failure{box-sizing:border-box;max-width:960px;margin:0 auto;padding:20px 24px 24px;border:1px solid var(--edge);border-top:3px solid var(--bad);border-radius:14px;background:var(--float);box-shadow:0 12px 40px rgb(0 0 0/.18)}
header{display:flex;justify-content:space-between;align-items:start;gap:16px}
.kind{margin:0;font-weight:600;color:var(--bad)}
h1{margin:8px 0 16px;font-size:22px;line-height:28px;font-weight:600;white-space:pre-wrap;overflow-wrap:anywhere}
h2{margin:20px 0 4px;font-size:12px;line-height:20px;font-weight:600;color:var(--soft)}
dl{display:flex;flex-wrap:wrap;gap:4px 24px;margin:0 0 16px}dl div{display:flex;gap:8px}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
code,pre,.place{font-family:ui-monospace,monospace;font-size:12px}
figure{margin:0;border:1px solid var(--hair);border-radius:10px;overflow:hidden}
figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:8px;padding:4px 4px 4px 12px;border-bottom:1px solid var(--hair)}
pre{margin:0;padding:8px 0;overflow-x:auto;background:var(--sunk);line-height:20px;tab-size:2}
mark{display:inline-block;min-width:100%;background:var(--bad-wash);color:inherit}
.number{display:inline-block;width:5ch;margin-right:2ch;text-align:right;color:var(--soft);user-select:none}
ol{margin:0;padding:0;list-style:none}li{padding:2px 0;overflow-wrap:anywhere}.foreign{color:var(--soft)}
summary{margin-top:12px;color:var(--soft);cursor:pointer}
button{min-height:28px;padding:0 10px;border:1px solid var(--edge);border-radius:7px;background:transparent;color:inherit;font:inherit;cursor:pointer}
.place{min-height:24px;padding:0;border:0;color:var(--accent);text-align:left;text-decoration:underline;overflow-wrap:anywhere}
footer{margin-top:20px}a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media(pointer:coarse){button{min-height:44px;min-width:44px}}
`;
