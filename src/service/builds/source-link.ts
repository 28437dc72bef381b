/** Places of a template that are filled in. */
const places = ["commit", "file", "line"] as const;

export interface SourcePlace {
  readonly commit: string;
  /** From the root of the repository. */
  readonly file: string;
  readonly line: number | undefined;
}

/** Longer addresses do not lead to a line of a file. */
const longestTemplate = 500;

/** Returns what is wrong with a template. Undefined if it can be used. */
export function problemOfSourceLink(template: string): string | undefined {
  if (template.length > longestTemplate) return `At most ${longestTemplate} characters.`;
  if (!template.startsWith("https://")) return "It must begin with https://.";
  const host = /^https:\/\/([^/?#]*)/.exec(template)?.[1] ?? "";
  if (/[{}@]/.test(host) || !URL.canParse(filled(template, { commit: "c", file: "f", line: 1 })))
    return "The host must be a name, without places to fill in.";
  if (!template.includes("{file}")) return "It needs {file}, and usually {commit} and {line}.";
  return undefined;
}

/** Returns the address of a line in the repository. The values are escaped, so that they stay in their place. */
export function sourceLinkOf(template: string, place: SourcePlace): string | undefined {
  if (problemOfSourceLink(template) !== undefined) return undefined;
  const parts = place.file.split("/");
  // A path that leads elsewhere is none of the repository.
  if (place.file === "" || parts.includes("..") || parts.includes("node_modules") || /^[\w+.-]+:/.test(place.file))
    return undefined;
  const url = new URL(filled(template, place));
  return url.origin === new URL(filled(template, { commit: "c", file: "f", line: 1 })).origin ? url.href : undefined;
}

function filled(template: string, { commit, file, line }: SourcePlace): string {
  const values: Readonly<Record<string, string>> = {
    commit: encodeURIComponent(commit),
    file: file.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/"),
    line: String(line ?? 1),
  };
  return places.reduce((text, name) => text.replaceAll(`{${name}}`, values[name] ?? ""), template);
}
