import { originalPositionFor, sourceContentFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Frame, ReportedEvent } from "#protocol";
import type { FiledChunk } from "../stores/filed.ts";
import type { SourceMapReader } from "../stores/store.ts";
import { enclosingFunction } from "./enclosing-function.ts";

/** Maps come from the store alone. None is ever fetched from an address that an event names. */
export interface SymbolicateOptions extends SourceMapReader {
  /** Decoded maps take some ten times their size; an application's hot chunks are few. */
  mapsKept?: number;
}

// What a person sees around the failing line.
const contextLines = 5;
// A longer line is generated code and would bloat every event.
const longestLine = 300;

/**
 * A stack leads through a few files of a build. To open a map takes tens of milliseconds, and who sends an event
 * chooses which maps it names: with all of a large application in one stack, a few events in a second would hold up all
 * others.
 */
export const mapsPerEvent = 20;

interface OpenMap {
  trace: TraceMap;
  linesOf: (source: string) => readonly string[] | undefined;
}

export interface Symbolicated {
  /** The same one when no map knows any of its frames. */
  event: ReportedEvent;
  /**
   * Which files of built code it names, and which of them had a map: whether people can read the stacks of a release.
   */
  chunks: readonly FiledChunk[];
}

/** Turns frames of built code into the lines the developer wrote, as far as the project's maps know them. */
export type Symbolicate = (project: number, event: ReportedEvent) => Symbolicated;

export function createSymbolicate({ sourceMap, mapsKept = 30 }: SymbolicateOptions): Symbolicate {
  const maps = new Map<string, OpenMap | undefined>();

  const mapFor = (project: number, debugId: string): OpenMap | undefined => {
    const key = `${project} ${debugId}`;
    const kept = maps.get(key);
    if (kept !== undefined) {
      // The least used is the first to go.
      maps.delete(key);
      maps.set(key, kept);
      return kept;
    }
    const reading = sourceMap(project, debugId);
    const open = reading.kind === "found" ? openMap(reading.map) : undefined;
    // A map that is not there yet may come with the next start of the application, so only those that are there are
    // kept.
    if (open !== undefined) maps.set(key, open);
    const oldest = maps.keys().next();
    if (maps.size > mapsKept && !oldest.done) maps.delete(oldest.value);
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

/**
 * Where no debug id is named at all, the first script that is named stands for all: its build was not prepared for
 * source maps.
 */
function namelessScript({ exceptions }: ReportedEvent): readonly FiledChunk[] {
  for (const { frames } of exceptions) {
    const frame = frames.find(({ absPath, filename }) => script.test(absPath ?? filename ?? ""));
    if (frame !== undefined) return [{ debugId: undefined, file: fileOf(frame), mapped: false }];
  }
  return [];
}

// As much of an address as a person reads.
const longestFile = 300;

function fileOf({ absPath, filename }: Frame): string {
  return (plainPath(absPath ?? filename) ?? "").slice(0, longestFile);
}

/** The same file is called by its URL in one place and by its path in another. */
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
    // An invalid source map maps nothing; the frame stays as it came.
    return undefined;
  }
}

/** The same list when no frame is known. */
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
    // Minified code calls a function by a made-up name; the map tells at the place of the call what it is called in the
    // source. A library calls it by a parameter's name, which says nothing.
    if (position.name !== null && !filename.includes("node_modules/")) calledAs = position.name;
    const name = (lines && enclosingFunction(lines, position.line)) ?? callee ?? frame.function;
    return {
      ...withoutContext(frame),
      filename,
      line: position.line,
      column: position.column + 1,
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

/** `../../src/pages/cart.tsx` → `src/pages/cart.tsx`: how deep the build folder lies says nothing about the source. */
function sourcePath(source: string): string {
  return source.replace(/^(?:[\w-]+:\/\/)?\/?(?:\.\.?\/)+/, "");
}
