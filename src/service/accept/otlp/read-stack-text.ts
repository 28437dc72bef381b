/** A frame in the form of Sentry clients. */
export interface StackFrame {
  readonly filename?: string;
  readonly module?: string;
  readonly function?: string;
  readonly lineno?: number;
  readonly colno?: number;
  readonly context_line?: string;
}

// Bounds of a readable stack. Longer lines are data, not calls.
const mostLines = 500;
const longestLine = 1_000;

/**
 * Parses a stack in text form, oldest call first. OpenTelemetry forwards the native format of every language. Returns
 * an empty list for an unknown format. Of a chain of causes, returns the part of the thrown error.
 */
export function readStackText(text: string): readonly StackFrame[] {
  const lines = text
    .split(/\r?\n/, mostLines)
    .map((line) => line.trim())
    .filter((line) => line.length <= longestLine);
  return /^Traceback \(most recent call last\):/m.test(text) ? pythonFrames(lines) : framesNewestFirst(lines).reverse();
}

/** Python prints the oldest call first, and the causes before the thrown error. */
function pythonFrames(lines: readonly string[]): StackFrame[] {
  const frames: StackFrame[] = [];
  const call = /^File "(.+)", line (\d+), in (.+)$/;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith("Traceback (most recent call last):")) frames.length = 0;
    const [, filename, lineno, name] = call.exec(line) ?? [];
    if (filename === undefined || name === undefined) continue;
    const next = lines[index + 1] ?? "";
    const source = next === "" || call.test(next) ? {} : { context_line: next };
    frames.push({ filename, lineno: Number(lineno), function: name, ...source });
  }
  return frames;
}

function framesNewestFirst(lines: readonly string[]): StackFrame[] {
  const frames: StackFrame[] = [];
  for (const [index, line] of lines.entries()) {
    if (/^(?:Caused by|Suppressed): /.test(line)) break;
    const frame = frameIn(line) ?? goFrame(line, lines[index + 1] ?? "");
    if (frame !== undefined) frames.push(frame);
  }
  return frames;
}

type Groups = readonly (string | undefined)[];

/** JavaScript, Java and Kotlin, .NET with and without files, Ruby, PHP. */
const forms: readonly { readonly line: RegExp; readonly frame: (found: Groups) => StackFrame }[] = [
  {
    line: /^at (?:(.+) \()?((?:[a-z-]+:)?[^\s():]*[/\\.][^():]*):(\d+):(\d+)\)?$/,
    frame: ([, name, filename, lineno, colno]) => ({
      ...named(name),
      ...locationOf(filename, lineno),
      colno: Number(colno),
    }),
  },
  {
    line: /^at (?:[\w.@-]+\/)?([\w.$]+)\.([\w$<>]+)\(([^:()]+)(?::(\d+))?\)$/,
    frame: ([, module = "", name, filename, lineno]) => ({ module, ...named(name), ...locationOf(filename, lineno) }),
  },
  {
    line: /^at (.+\)) in (.+):line (\d+)$/,
    frame: ([, name, filename, lineno]) => ({ ...named(name), ...locationOf(filename, lineno) }),
  },
  { line: /^at ([\w.`<>[\],+]+\(.*\))$/, frame: ([, name]) => named(name) },
  {
    line: /^(?:from )?([^\s:][^:]*\.\w+):(\d+):in [`'](.+)'$/,
    frame: ([, filename, lineno, name]) => ({ ...named(name), ...locationOf(filename, lineno) }),
  },
  {
    line: /^#\d+ (.+)\((\d+)\): ([^()]+)\(/,
    frame: ([, filename, lineno, name]) => ({ ...named(name), ...locationOf(filename, lineno) }),
  },
];

function frameIn(line: string): StackFrame | undefined {
  for (const form of forms) {
    const found = form.line.exec(line);
    if (found !== null) return form.frame(found);
  }
  return undefined;
}

/** Go prints the call, and its position on the next line: `main.(*Shop).pay(0x1)`, `/app/shop.go:12 +0x1d`. */
function goFrame(line: string, next: string): StackFrame | undefined {
  const [, filename, lineno] = /^(\/.+\.go):(\d+)(?: \+0x[0-9a-f]+)?$/.exec(next) ?? [];
  const [, path, name] = /^(?:created by )?((?:[^\s()]*\/)?[^\s().]+)\.(.+?)(?:\([^()]*\))?$/.exec(line) ?? [];
  return filename === undefined || path === undefined
    ? undefined
    : { module: path, ...named(name), ...locationOf(filename, lineno) };
}

function named(name: string | undefined): Pick<StackFrame, "function"> {
  return name === undefined ? {} : { function: name };
}

function locationOf(filename: string | undefined, lineno: string | undefined): Pick<StackFrame, "filename" | "lineno"> {
  const location = filename === undefined ? {} : { filename: filename.replace(/^file:\/\//, "") };
  return lineno === undefined ? location : { ...location, lineno: Number(lineno) };
}
