import { quotedIfNeeded } from "./ownership-rules.ts";

/**
 * Writes the lines of a CODEOWNERS file as rules. Owners stay as they are: an `@name` of GitHub is then a problem of
 * its line, and a person replaces it by an address. Comments and empty lines stay.
 */
export function fromCodeowners(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .map((line) => (line === "" || line.startsWith("#") ? line : ruleOf(line)))
    .join("\n");
}

function ruleOf(line: string): string {
  // GitLab groups rules in sections, and both leave files without an owner out.
  if (/^\^?\[/.test(line) || line.startsWith("!")) return `# ${line}`;
  const [, escaped = "", owners = ""] = /^((?:\\.|[^\\\s])+)(.*)$/.exec(line) ?? [];
  const pattern = pathOf(escaped.replace(/\\(.)/g, "$1"));
  const people = owners.trim().replace(/(^|\s)#.*$/, "");
  // Without an owner, a line takes its files out of those before it. There is no such rule.
  return people === "" ? `# ${line}` : `path:${quotedIfNeeded(pattern)} ${people.trim()}`;
}

/** Stacks may name files from elsewhere than the root of the repository, so a path begins at any folder. */
function pathOf(pattern: string): string {
  const path = pattern.replace(/^\/+/, "");
  return path === "" || path === "*" ? "**" : path;
}
