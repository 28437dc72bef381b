import type { Frame, ReportedEvent, ReportedException } from "#protocol";
import { isEngineFrame } from "./in-app.ts";
import { exceptionChain, isMessage, mainException } from "./main-exception.ts";
import { parameterise } from "./parameterise.ts";

/** The rule that decided the group, and the compared texts. The console shows it as "why grouped". */
export interface Reason {
  rule: "custom-fingerprint" | "error-code" | "message" | "stack" | "library" | "type-and-text" | "place" | "too-many";
  parts: readonly string[];
}

/**
 * Version 1: compares chained exceptions by the application's own frames in the mapped source, so that a rebuild with
 * other chunk names, minified names and columns does not split an issue. Never changed once events were filed with it:
 * a better rule is a new version.
 */
export function reasonV1(event: ReportedEvent): Reason {
  return customFingerprint(event) ?? defaultReason(event);
}

function customFingerprint(event: ReportedEvent): Reason | undefined {
  const { fingerprint } = event;
  if (fingerprint === undefined || fingerprint.every(isDefaultMark)) return undefined;
  const parts = fingerprint.flatMap((part) =>
    isDefaultMark(part) ? defaultReason(event).parts : [fillIn(part, event)],
  );
  return { rule: "custom-fingerprint", parts };
}

function isDefaultMark(part: string): boolean {
  return /^\{\{\s*default\s*\}\}$/.test(part);
}

function fillIn(part: string, event: ReportedEvent): string {
  const main = mainException(event);
  const values: Record<string, string | undefined> = {
    type: main?.type,
    "error.type": main?.type,
    value: main?.value,
    "error.value": main?.value,
    message: event.message?.text ?? main?.value,
    transaction: event.transaction,
    level: event.level,
    logger: event.logger,
    release: event.release,
    environment: event.environment,
  };
  return part.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (mark, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "") : mark,
  );
}

function defaultReason(event: ReportedEvent): Reason {
  if (isMessage(event)) return { rule: "message", parts: ["message", messageKey(event)] };
  return errorCode(event) ?? byStack(event) ?? byTypeAndText(event) ?? byPlace(event);
}

function messageKey(event: ReportedEvent): string {
  return parameterise(event.message?.template ?? event.message?.text ?? "");
}

/** Errors of the framework end with their permanent code, which identifies them better than their stack. */
function errorCode(event: ReportedEvent): Reason | undefined {
  const main = mainException(event);
  if (main?.type !== "HoldfastError") return undefined;
  const code = /\[([a-z0-9-]{3,80})\]$/.exec(main.value ?? "")?.[1];
  return code === undefined ? undefined : { rule: "error-code", parts: ["HoldfastError", code] };
}

function byStack(event: ReportedEvent): Reason | undefined {
  const chain = exceptionChain(event);
  const stacks: readonly ReportedException[] =
    chain.length > 0
      ? chain
      : [{ frames: event.frames ?? [], ...(event.message ? { value: event.message.text } : {}) }];
  const writtenAs = isScript(event) ? "script" : "compiled";
  const keys = stacks.map((exception) => stackKeys(exception, writtenAs));
  const rule = keys.some(({ own }) => own.length > 0)
    ? "stack"
    : keys.some(({ library }) => library !== undefined)
      ? "library"
      : undefined;
  if (rule === undefined) return undefined;
  // For collected errors, the number of similar ones does not matter.
  const parts = new Map<string, readonly string[]>();
  for (const one of keys) {
    const compared = [one.type, ...(rule === "stack" ? placeOrText(one) : textAndPlace(one, writtenAs))];
    parts.set(compared.join("\n"), compared);
  }
  return { rule, parts: [...parts.values()].flat() };
}

interface StackKeys {
  readonly type: string;
  /** Lazy, because many patterns scan it. */
  readonly text: () => string;
  /** Frames of the application, innermost first. */
  readonly own: readonly string[];
  /** Place where a library threw it. */
  readonly library: string | undefined;
}

function stackKeys(exception: ReportedException, writtenAs: Writing): StackKeys {
  const own = frameKeys(
    exception.frames.filter(({ inApp }) => inApp === true),
    writtenAs,
  );
  const [library] =
    own.length > 0
      ? []
      : frameKeys(
          exception.frames.filter((frame) => !isEngineFrame(frame)),
          writtenAs,
        );
  return { type: typeKey(exception), text: () => parameterise(exception.value ?? ""), own, library };
}

/** Place where the application threw it. For a cause without one: where a library threw it, or else its text. */
function placeOrText({ own, library, text }: StackKeys): readonly string[] {
  return own.length > 0 ? own : [library ?? text()];
}

/**
 * Compares an error without any frame of the application: its text, and the innermost place. Libraries throw many
 * errors at one place, reached by many paths. Each engine words its own errors differently, so their text is ignored.
 */
function textAndPlace({ type, text, library }: StackKeys, writtenAs: Writing): readonly string[] {
  const isWordedByEngine = writtenAs === "script" && library !== undefined && engineErrors.has(type);
  return [...(isWordedByEngine ? [] : [text()]), ...(library === undefined ? [] : [library])];
}

const engineErrors: ReadonlySet<string> = new Set(["TypeError", "ReferenceError", "RangeError", "InternalError"]);

function typeKey(exception: ReportedException): string {
  return exception.mechanism?.synthetic === true ? "" : (exception.type ?? "");
}

function byTypeAndText(event: ReportedEvent): Reason | undefined {
  const parts = exceptionChain(event).flatMap((exception) => [typeKey(exception), parameterise(exception.value ?? "")]);
  if (event.message !== undefined) parts.push(messageKey(event));
  return parts.some((part) => part !== "") ? { rule: "type-and-text", parts } : undefined;
}

function byPlace(event: ReportedEvent): Reason {
  return { rule: "place", parts: [event.platform ?? "", event.logger ?? "", event.transaction ?? event.culprit ?? ""] };
}

/** A script may be minified, which makes names meaningless. In compiled code a name is the author's. */
type Writing = "script" | "compiled";

function isScript({ platform }: ReportedEvent): boolean {
  return platform === undefined || platform === "javascript" || platform === "node";
}

/** Keys of frames, innermost first. Recursion counts once, at any depth. */
function frameKeys(frames: readonly Frame[], writtenAs: Writing): string[] {
  const keys = new Set<string>();
  for (const frame of frames.toReversed()) {
    const key = frameKey(frame, writtenAs);
    if (key !== undefined) keys.add(key);
  }
  return [...keys];
}

// A longer line is generated or minified code, which changes with every build.
const longestContextLine = 120;

function frameKey(frame: Frame, writtenAs: Writing): string | undefined {
  const line = frame.contextLine?.trim();
  const file = fileKey(frame);
  if (line !== undefined && line !== "" && line.length <= longestContextLine) return `${file} | ${line}`;
  const name = writtenAs === "script" ? scriptName(frame.function) : compiledName(frame.function);
  if (name !== undefined) return `${file} ${name}`;
  return writtenAs === "script" || file === "" ? undefined : file;
}

/**
 * Returns the last part of a name, without the additions of engines: `async Cart.total [as sum]` in Chromium is
 * `async*total` in Firefox and `total` in Safari. Undefined for names that minifiers and engines generate.
 */
function scriptName(name: string | undefined): string | undefined {
  const last = name
    ?.replace(/ \[as [^\]]*\]$/, "")
    .replace(/^.*\*/, "")
    .split(/[.#/]/)
    .at(-1)
    ?.replace(/^(?:(?:async|new|get|set|static) )+/, "")
    .trim();
  if (last === undefined || last.length < 3 || madeUpName.test(last)) return undefined;
  return last;
}

const madeUpName = /^<.*>$|^\?+$|^eval\b|^anonymous$|^(?:global|module) code$/i;

/**
 * Returns the whole name, since only all of it distinguishes closures, without the numbers that compilers assign.
 * Undefined for an address.
 */
function compiledName(name: string | undefined): string | undefined {
  if (name === undefined || /^0x[0-9a-f]+$|^\?+$|^<(?:unknown|redacted)>$/i.test(name)) return undefined;
  return name.replace(/(\$|__)\d+(?:_\d+)*/g, "$1").replace(/::h[0-9a-f]{16}$/, "");
}

// A longer text is no file name, and the search for its hash would take quadratic time.
const longestFileName = 200;
/** Suffix of bundlers: with digits or, in Vite, eight letters of both cases. */
const contentHash =
  /[-.](?:(?=[\w-]*\d)[\w-]{8,}|(?=\w*[a-z][A-Z]|\w*[A-Z]{2})\w{8})(?=(?:\.(?:chunk|min|module|bundle))?\.\w+$)/;

/**
 * Returns the module, or the name of a source file with its folder, since every folder may have an `index.ts`, or the
 * name of a built file alone. Without the query, the content hash of bundlers, and the suffix of classes generated at
 * run time.
 */
function fileKey({ module, filename, absPath }: Frame): string {
  if (module !== undefined) return module.replace(/\$\$.*$/, "");
  const path = (filename ?? absPath ?? "").replace(/[?#].*$/, "");
  const nameAt = lastSlash(path, path.length);
  const name = path
    .slice(nameAt + 1)
    .slice(-longestFileName)
    .replace(contentHash, "");
  const folder = path.includes("://") ? "" : path.slice(lastSlash(path, nameAt) + 1, Math.max(0, nameAt));
  // The folder of a deployment differs each time.
  return folder === "" || /\d{4}|^\.+$/.test(folder) ? name : `${folder}/${name}`;
}

function lastSlash(path: string, before: number): number {
  return Math.max(path.lastIndexOf("/", before - 1), path.lastIndexOf("\\", before - 1));
}
