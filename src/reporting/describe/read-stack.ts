import type { WireFrame } from "../wire.ts";

/**
 * `    at async load (file:///app/x.js:10:5)`, with or without a name. The position is the text in the last brackets,
 * or the whole line.
 */
const v8Line = /^\s*at (?:async )?(?:(.+?) ?\((.*)\)|(.*))$/;
const v8Location = /^(.*?):(\d+)(?::(\d+))?$/;
/** Firefox and Safari: `load@https://shop.example/x.js:10:5`; Safari also without a name. */
const geckoLine = /^\s*(?:(.*?)@)?((?:[a-z][\w+.-]*:\/|\/).*?|\[native code\]):?(\d+)?(?::(\d+))?$/i;

/** Returns the frames of a stack from any browser or Node, the outermost call first. */
export function readStack(stack: string, atMost: number): WireFrame[] {
  const frames: WireFrame[] = [];
  for (const line of stack.split("\n")) {
    // A line of a kilobyte is a data: address or an attack on these expressions.
    if (line.length > 1_024) continue;
    const frame = readV8Line(line) ?? readGeckoLine(line);
    if (frame) frames.push(frame);
    if (frames.length === atMost) break;
  }
  return frames.reverse();
}

function readV8Line(line: string): WireFrame | undefined {
  const match = v8Line.exec(line);
  if (!match) return undefined;
  const [, name, inBrackets, alone] = match;
  const text = (inBrackets ?? alone ?? "").replace(/^eval at .*?\((.*?)\), .*$/, "$1");
  const location = v8Location.exec(text);
  if (!location) return text === "<anonymous>" || text === "native" ? frameOf(name, "<anonymous>") : undefined;
  return frameOf(name, location[1] ?? "", location[2], location[3]);
}

function readGeckoLine(line: string): WireFrame | undefined {
  const match = geckoLine.exec(line);
  return match ? frameOf(match[1], match[2] ?? "", match[3], match[4]) : undefined;
}

function frameOf(name: string | undefined, location: string, line?: string, column?: string): WireFrame {
  const filename = location.replace(/^file:\/\/(?=\/)/, "");
  const frame: WireFrame = { filename, function: name || "?", in_app: isOfApplication(filename) };
  if (line !== undefined) frame.lineno = Number(line);
  if (column !== undefined) frame.colno = Number(column);
  return frame;
}

/** Excludes Node itself, packages and code of the engine. */
function isOfApplication(filename: string): boolean {
  return !/^(?:node:|<anonymous>|\[native code\]|internal\/)|[/\\]node_modules[/\\]/.test(filename);
}
