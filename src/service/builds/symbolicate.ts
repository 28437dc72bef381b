import { originalPositionFor, sourceContentFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Frame, ReportedEvent } from "#protocol";
import type { FiledChunk } from "../stores/filed.ts";
import type { SourceMapReader } from "../stores/store.ts";
import { enclosingFunction } from "./enclosing-function.ts";
import { mapsPerEvent } from "./maps-per-event.ts";

/** Maps are only read from the store, never fetched from a URL in an event. */
export interface SymbolicateOptions extends Pick<SourceMapReader, "sourceMap"> {
  /** A decoded map takes about ten times its size. An application has few hot chunks. */
  mostMaps?: number;
}

// Source lines around the failing line.
const contextLines = 5;
// A longer line is generated code and would bloat every event.
const longestLine = 300;

interface OpenMap {
  trace: TraceMap;
  linesOf: (source: string) => readonly string[] | undefined;
}

export interface Symbolicated {
  /** The same object if no map contains any of its frames. */
  event: ReportedEvent;
  /**
   * Files of built code in the stacks, and whether each had a map. Shows whether the stacks of a release are readable.
   */
  chunks: readonly FiledChunk[];
}

/** Maps frames of built code to source lines, as far as the project has the maps. */
export type Symbolicate = (project: number, event: ReportedEvent) => Symbolicated;

export function createSymbolicate({ sourceMap, mostMaps = 30 }: SymbolicateOptions): Symbolicate {
  const maps = new Map<string, OpenMap | undefined>();

  const mapFor = (project: number, debugId: string): OpenMap | undefined => {
    const key = `${project} ${debugId}`;
    const cached = maps.get(key);
    if (cached !== undefined) {
      // Moves the entry to the end: the least recently used is evicted first.
      maps.delete(key);
      maps.set(key, cached);
      return cached;
    }
    const reading = sourceMap(project, debugId);
    const open = reading.kind === "found" ? openMap(reading.map) : undefined;
    // Only found maps are cached: a missing one may be stored at the application's next start.
    if (open !== undefined) maps.set(key, open);
    const oldest = maps.keys().next();
    if (maps.size > mostMaps && !oldest.done) maps.delete(oldest.value);
    return open;
  };

  return (project, event) => {
    const ids = new Map(event.debugImages.map(({ codeFile, debugId }) => [plainPath(codeFile), debugId]));
    const hasFrameIds = event.exceptions.some(({ frames }) => frames.some(({ debugId }) => debugId !== undefined));
    if (ids.size === 0 && !hasFrameIds) return { event, chunks: namelessScript(event) };
    const chunks = new Map<string, FiledChunk>();
    const opened = new Map<string, OpenMap | undefined>();
    const mapFrames = (frames: readonly Frame[]): readonly Frame[] =>
      symbolicateFrames(frames, (frame) => {
        if (frame.isMapped) return undefined;
        const debugId = frame.debugId ?? ids.get(plainPath(frame.absPath)) ?? ids.get(plainPath(frame.filename));
        if (debugId === undefined || (opened.size >= mapsPerEvent && !opened.has(debugId))) return undefined;
        const map = opened.has(debugId) ? opened.get(debugId) : mapFor(project, debugId);
        opened.set(debugId, map);
        chunks.set(debugId, { debugId, file: fileOf(frame), mapped: map !== undefined });
        return map;
      });
    const exceptions = event.exceptions.map((exception) => {
      const frames = mapFrames(exception.frames);
      return frames === exception.frames ? exception : { ...exception, frames };
    });
    const frames = event.frames && mapFrames(event.frames);
    const isSame = frames === event.frames && exceptions.every((after, index) => after === event.exceptions[index]);
    const mapped = isSame ? event : { ...event, exceptions, ...(frames ? { frames } : {}) };
    return { event: mapped, chunks: [...chunks.values()] };
  };
}

const script = /^https?:\/\/[^?#]+\.[cm]?js(?:[?#]|$)/;

/** If no debug id is present at all, reports the first script: its build was not prepared for source maps. */
function namelessScript({ exceptions }: ReportedEvent): readonly FiledChunk[] {
  for (const { frames } of exceptions) {
    const frame = frames.find(({ absPath, filename }) => script.test(absPath ?? filename ?? ""));
    if (frame !== undefined) return [{ debugId: undefined, file: fileOf(frame), mapped: false }];
  }
  return [];
}

// Longest file name that is shown.
const longestFile = 300;

function fileOf({ absPath, filename }: Frame): string {
  return (plainPath(absPath ?? filename) ?? "").slice(0, longestFile);
}

/** Removes scheme and query: one file appears by its URL in one place and by its path in another. */
function plainPath(path: string | undefined): string | undefined {
  return path?.replace(/^(?:file|app):\/\//, "").replace(/[?#].*$/, "");
}

function openMap(text: string): OpenMap | undefined {
  try {
    const trace = new TraceMap(text);
    const split = new Map<string, readonly string[] | undefined>();
    return {
      trace,
      linesOf(source) {
        if (!split.has(source)) split.set(source, sourceContentFor(trace, source)?.split(/\r?\n/));
        return split.get(source);
      },
    };
  } catch {
    // An invalid source map maps nothing, so the frame is unchanged.
    return undefined;
  }
}

/** Returns the same list if no frame is mapped. */
function symbolicateFrames(frames: readonly Frame[], mapOf: (frame: Frame) => OpenMap | undefined): readonly Frame[] {
  let calledAs: string | undefined;
  const mapped = frames.map((frame) => {
    const callee = calledAs;
    calledAs = undefined;
    const map = mapOf(frame);
    if (map === undefined || frame.line === undefined) return frame;
    // Columns count from 1 in stacks and from 0 in maps.
    const position = originalPositionFor(map.trace, { line: frame.line, column: Math.max(0, (frame.column ?? 1) - 1) });
    if (position.source === null) return frame;
    const filename = sourcePath(position.source);
    const lines = map.linesOf(position.source);
    // Minified code calls a function by a generated name. The map contains its source name at the position of the call.
    // A library calls it by the name of a parameter, which is useless.
    if (position.name !== null && !filename.includes("node_modules/")) calledAs = position.name;
    const name = (lines && enclosingFunction(lines, position.line)) ?? callee ?? frame.function;
    return {
      ...withoutContext(frame),
      filename,
      line: position.line,
      column: position.column + 1,
      isMapped: true as const,
      ...(name === undefined ? {} : { function: name }),
      ...(lines ? contextOf(lines, position.line) : {}),
    };
  });
  return mapped.every((frame, index) => frame === frames[index]) ? frames : mapped;
}

function withoutContext(frame: Frame): Frame {
  const { contextLine: _line, preContext: _pre, postContext: _post, function: _name, ...rest } = frame;
  return rest;
}

function contextOf(lines: readonly string[], line: number): Pick<Frame, "contextLine" | "preContext" | "postContext"> {
  const cut = (text: string): string => (text.length > longestLine ? `${text.slice(0, longestLine)}…` : text);
  const contextLine = lines[line - 1];
  if (contextLine === undefined) return {};
  return {
    contextLine: cut(contextLine),
    preContext: lines.slice(Math.max(0, line - 1 - contextLines), line - 1).map(cut),
    postContext: lines.slice(line, line + contextLines).map(cut),
  };
}

/** `../../src/pages/cart.tsx` → `src/pages/cart.tsx`: the depth of the build folder is irrelevant. */
function sourcePath(source: string): string {
  return source.replace(/^(?:[\w-]+:\/\/)?\/?(?:\.\.?\/)+/, "");
}
