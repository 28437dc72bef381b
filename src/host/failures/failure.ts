import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { packageAddressOf } from "#errors";
import { readStack } from "#reporting";
import type { ErrorPlace } from "#signals";
import { type Excerpt, excerptOf, type Position } from "./excerpt.ts";
import { readHydrationMismatch } from "./hydration-mismatch.ts";

/** A failure during development, described for the developer. */
export interface Failure {
  /** `compile`: the file cannot be compiled. */
  kind: "server" | "browser" | "compile";
  /** Leads to the stored event. */
  digest: string | undefined;
  name: string;
  message: string;
  /** Longer explanation, collapsed by default. */
  details: string | undefined;
  /** The step that failed, if one did. */
  during: string | undefined;
  route: string | undefined;
  params: Readonly<Record<string, string>>;
  /** Path and search of the page. */
  address: string | undefined;
  /** The failing line with its neighbours, if it lies in a file of the application. */
  excerpt: Excerpt | undefined;
  /** Innermost call first. */
  stack: readonly StackLine[];
  /** Enclosing components, innermost first. */
  components: readonly string[];
}

export interface StackLine {
  function: string;
  /** Relative to the application if it lies inside. */
  file: string;
  /** Path on this machine, for the editor; absent if the call has no file. */
  path: string | undefined;
  line: number | undefined;
  column: number | undefined;
  /** Whether the application's developer wrote it. */
  inApp: boolean;
}

/** An error as text, thrown on the server or in a browser. */
export interface Thrown {
  name: string;
  message: string;
  stack: string;
  /** Where the compiler stopped; no code has run then. */
  compiling?: Position | undefined;
}

/** Finds the source position of code that a browser ran; stacks of the server name sources already. */
export type FindSource = (address: string, line: number, column: number) => Promise<Position | undefined>;

/** Accepts every thrown value; even reading one may throw. */
export function readThrown(thrown: unknown): Thrown {
  try {
    if (!(thrown instanceof Error)) return { name: "Thrown", message: String(thrown), stack: "" };
    const { name, message, stack = "" } = thrown;
    return { name, message: plain(message), stack: plain(stack), compiling: compilerPosition(thrown) };
  } catch {
    return { name: "Thrown", message: "something that cannot be read", stack: "" };
  }
}

/** Whether compilation failed, so that no code has run. */
export function isOfCompiler({ message, compiling }: Thrown): boolean {
  return compiling !== undefined || whatIsWrong(message) !== undefined;
}

export async function describeFailure(
  thrown: Thrown,
  { place, digest }: { place: Partial<ErrorPlace>; digest?: string | undefined },
  { root, findSource }: { root: string; findSource: FindSource },
): Promise<Failure> {
  const compile = readCompileError(thrown, root);
  const mismatch = place.during === "hydration" ? readHydrationMismatch(thrown.message) : undefined;
  // A line of the message may look like one of the stack.
  const calls = thrown.stack.replace(thrown.message, "");
  const stack = compile ? [] : await stackOf(calls, root, findSource);
  const at = compile?.at ?? positionOf(stack.find(({ inApp, line }) => inApp && line !== undefined));
  return {
    kind: compile ? "compile" : (place.side ?? "server"),
    digest,
    name: compile ? "This file cannot be compiled" : thrown.name,
    message: compile?.message ?? mismatch?.message ?? thrown.message,
    details: mismatch?.details,
    during: place.during,
    // A compile error does not belong to one page.
    route: compile ? undefined : place.route,
    params: compile ? {} : (place.params ?? {}),
    address: compile || place.url === undefined ? undefined : addressOf(place.url),
    excerpt: at && excerptOf(at, root),
    stack,
    components: componentsOf(place.componentStack ?? ""),
  };
}

/** Reads the file and position that Vite adds to errors of its plugins. */
function compilerPosition(error: Error): Position | undefined {
  const { id, loc }: { id?: unknown; loc?: { line?: unknown; column?: unknown } } = error as object;
  if (typeof id !== "string" || !("plugin" in error)) return undefined;
  const file = id.split("?", 1)[0] ?? id;
  return typeof loc?.line === "number" && typeof loc.column === "number"
    ? { file, line: loc.line, column: loc.column + 1 }
    : { file, line: 1, column: 1 };
}

/**
 * Compilers draw the position into their message: a line with the problem, then `file:line:column` somewhere in a
 * frame. For a file that cannot be found, Vite names it and its importer.
 */
function readCompileError(
  { message, compiling }: Thrown,
  root: string,
): { message: string; at: Position | undefined } | undefined {
  const wrong = whatIsWrong(message);
  if (wrong === undefined) return compiling && { message, at: compiling };
  const [, file, line = "1", column = "1"] =
    /([^\s[\]"']+\.[cm]?[jt]sx?):(\d+):(\d+)/.exec(message) ??
    /(?:in|from) "?([^\s"]+\.[cm]?[jt]sx?)()/.exec(message) ??
    [];
  const found = file && [path.resolve(file), path.resolve(root, file)].find((one) => existsSync(one));
  return {
    message: wrong,
    at: found ? { file: found, line: Number(line || 1), column: Number(column) } : compiling,
  };
}

function whatIsWrong(message: string): string | undefined {
  return (
    /^\s*\[[A-Z_]+\]\s+(.+)$/m.exec(message)?.[1] ?? /^Failed to (?:load url|resolve import).*$/m.exec(message)?.[0]
  );
}

async function stackOf(stack: string, root: string, findSource: FindSource): Promise<StackLine[]> {
  const lines = await Promise.all(
    readStack(stack, 50)
      .toReversed()
      .map(async ({ filename = "", function: name = "?", lineno, colno, in_app }) => {
        const mapped = isAddress(filename) ? await findSource(filename, lineno ?? 1, colno ?? 1) : undefined;
        const file = mapped?.file ?? localPath(filename);
        const isOwn = file !== undefined && isOwnCode(file, root);
        return {
          function: name,
          file: isOwn ? path.relative(root, file) : (file ?? filename),
          path: file,
          line: mapped?.line ?? lineno,
          column: mapped?.column ?? colno,
          inApp: isOwn && in_app === true,
        };
      }),
  );
  // Frames of Node and the compiler do not help the developer.
  return lines.filter(({ file }) => !file.startsWith("node:") && !file.includes("/node_modules/vite/"));
}

function positionOf(line: StackLine | undefined): Position | undefined {
  return line?.path === undefined ? undefined : { file: line.path, line: line.line ?? 1, column: line.column ?? 1 };
}

function localPath(filename: string): string | undefined {
  if (filename.startsWith("file://")) return fileURLToPath(filename);
  return path.isAbsolute(filename) ? filename.replace(/\?.*$/, "") : undefined;
}

function isAddress(filename: string): boolean {
  return /^https?:\/\//.test(filename);
}

/** Folder of this package: its own code in development has real paths, as that of a workspace has. */
const packageFolder = fileURLToPath(packageAddressOf(import.meta.url));

/** Whether the developer has written a file: one of the application, or of a package of its workspace. */
function isOwnCode(file: string, root: string): boolean {
  if (file.includes("/node_modules/")) return false;
  return isInside(file, root) || !["dist", "src"].some((part) => isInside(file, path.join(packageFolder, part)));
}

function isInside(file: string, root: string): boolean {
  const below = path.relative(root, file);
  return below !== "" && !below.startsWith("..") && !path.isAbsolute(below);
}

/** Returns names only: the stack has the positions already. */
function componentsOf(componentStack: string): string[] {
  const names = [...componentStack.matchAll(/^\s*(?:at )?([A-Za-z_$][\w$.]*)/gm)].map(([, name = ""]) => name);
  return names.filter((name) => /^[A-Z]/.test(name) && !frameworkComponents.has(name)).slice(0, 12);
}

const frameworkComponents = new Set(["PageTree", "ErrorBoundary", "Suspense", "Fragment", "BuiltInPage"]);

function addressOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Removes terminal colours. */
function plain(text: string): string {
  return text.replaceAll(terminalColours, "");
}

const terminalColours = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");
