import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { type Import, readImports } from "./read-imports.ts";

/** The parts that a part may import, besides itself. Every arrow leads down, so there can be no cycle between parts. */
export const mayImport: Record<string, readonly string[]> = {
  errors: [],
  bounds: [],
  http: ["bounds"],
  protocol: ["errors"],
  routes: ["errors"],
  signals: ["errors"],
  pages: ["errors", "bounds", "http", "routes", "signals"],
  reporting: ["errors", "bounds", "http", "protocol", "signals"],
  service: ["errors", "bounds", "http", "protocol"],
  build: ["errors", "bounds", "http", "routes", "protocol"],
  host: ["errors", "bounds", "http", "protocol", "signals", "pages", "reporting", "service"],
  cli: ["errors", "protocol", "host", "build", "service"],
  exports: ["errors", "protocol", "routes", "signals", "pages", "reporting", "service", "build", "host", "cli"],
};

/**
 * Inside these parts a folder imports only from folders before it, types included. Files beside the folders are listed
 * one by one; a part's `index.ts` is last.
 */
export const floors: Readonly<Record<string, readonly string[]>> = {
  service: [
    "bind-first.ts",
    "clock.ts",
    "console-path.ts",
    "errors.ts",
    "read-count.ts",
    "read-secrets.ts",
    "journal",
    "documents",
    "intake",
    "projects.ts",
    "rows",
    "accept",
    "accounts",
    "grouping",
    "sketches",
    "issues",
    "own-copy.ts",
    "stores",
    "machine-note.ts",
    "builds",
    "filing",
    "check-ins",
    "balance",
    "retention",
    "alerts",
    "uploads",
    "administration",
    "tokens",
    "shared",
    "console-entrance.ts",
    "open-reader.ts",
    "check-store.ts",
    "backup",
    "move",
    "portable",
    "last-address.ts",
    "queries",
    "alert-rules",
    "erasures",
    "thread",
    "metrics.ts",
    "own-reports.ts",
    "figures-writer.ts",
    "spike-notes.ts",
    "store-watch.ts",
    "open-uploads.ts",
    "check-settings.ts",
    "open-service.ts",
    "answer-metrics.ts",
    "serve.ts",
    "console-api",
    "api",
    "commands",
    "mcp",
    "index.ts",
  ],
  pages: [
    "view.ts",
    "affected.ts",
    "page-data.ts",
    "answer-address.ts",
    "texts",
    "parts.ts",
    "errors.ts",
    "failed-part.ts",
    "tagged-json.ts",
    "standard-schema.ts",
    "field-names.ts",
    "form-rows.ts",
    "check-fields.ts",
    "react",
    "early-limits.ts",
    "draft-fields.ts",
    "drafts-key.ts",
    "early-input.ts",
    "limits.ts",
    "settable-limits.ts",
    "submission-limits.ts",
    "crawlers.ts",
    "browser",
    "testing",
    "server",
    "index.ts",
  ],
};

/** Parts that run everywhere, browser included, and depend on neither Node nor React. */
const pure = ["errors", "bounds", "protocol", "routes", "signals"];

/** Folders that are sent to a browser. `pages` and `reporting` have both halves. */
const runsInBrowsers = /^src\/(?:pages\/(?:browser|react)|reporting\/browser)\//;

/** Applications of the repository: they use the package like any other user. */
const applications = ["console", "tour", "create/template"];

interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  path: string;
  imports: readonly Import[];
}

/** Returns every violation of the walls in the tree under `root`, one sentence each. */
export function findBreaches(root: string): string[] {
  const sources = readSources(root, ["src/**/*.{ts,tsx}"]);
  const users = readSources(
    root,
    applications.map((folder) => `${folder}/**/*.{ts,tsx}`),
  );
  return [
    ...sources.flatMap(breachesOfFile),
    ...findCycles(sources).map((cycle) => `${cycle.join(" → ")} is a cycle`),
    ...users.flatMap(breachesOfUser),
  ].sort();
}

function readSources(root: string, patterns: string[]): SourceFile[] {
  const files = globSync(patterns, { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" });
  return files
    .map((file) => file.replaceAll("\\", "/"))
    .sort()
    .map((path) => ({ path, imports: readImports(readFileSync(join(root, path), "utf8")) }));
}

function breachesOfFile(file: SourceFile): string[] {
  const part = partOf(file.path);
  if (part === undefined || !(part in mayImport)) return [`${file.path} belongs to no part`];
  return file.imports.flatMap((found) => {
    const breach = breachOfImport(file.path, part, found);
    return breach ? [`${file.path}:${found.line} ${breach}`] : [];
  });
}

function breachOfImport(path: string, part: string, { from, runs }: Import): string | undefined {
  const isTest = /\.(?:test|contract|test-d)\.tsx?$/.test(path);
  if (from.startsWith("#")) {
    const target = from.slice(1).split("/")[0] ?? "";
    if (target === part) return `imports its own part as ${from}; inside a part paths are relative`;
    // A test may combine real parts where the code itself may not.
    return isTest || mayImport[part]?.includes(target) ? undefined : `imports ${from}, which ${part} may not`;
  }
  if (from.startsWith(".")) {
    const target = posix.join(posix.dirname(path), from);
    if (isTest && target.startsWith("tests/")) return undefined;
    if (partOf(target) !== part) return `climbs out of ${part} to ${target}`;
    return breachOfHalves(path, target) ?? (isTest ? undefined : breachOfFloors(part, path, target));
  }
  if (from === "holdfast" || from.startsWith("holdfast/"))
    return isTest ? undefined : `imports the public entry point ${from} from inside`;
  if (isTest || !runs) return undefined;
  if (pure.includes(part) && !from.startsWith("node:")) return `imports ${from}, but ${part} stands on nothing`;
  if ((pure.includes(part) || runsInBrowsers.test(path)) && from.startsWith("node:"))
    return `imports ${from}, which no browser has`;
  return undefined;
}

/** Server code stays out of the browser, and browser code out of the server; shared code is beside the two folders. */
function breachOfHalves(path: string, target: string): string | undefined {
  const half = (file: string) => /^src\/[^/]+\/(server|browser)\//.exec(file)?.[1];
  const [from, to] = [half(path), half(target)];
  return from && to && from !== to ? `reaches from ${from}/ into ${to}/` : undefined;
}

function breachOfFloors(part: string, path: string, target: string): string | undefined {
  const order = floors[part];
  if (!order) return undefined;
  const [from, to] = [path, target].map((file) => file.split("/")[2] ?? "") as [string, string];
  const [here, there] = [order.indexOf(from), order.indexOf(to)];
  if (here < 0 || there < 0) return `belongs to no floor of ${part}: ${here < 0 ? from : to}`;
  return there > here ? `climbs from ${from} up to ${to}` : undefined;
}

function breachesOfUser(file: SourceFile): string[] {
  const folder = applications.find((name) => file.path.startsWith(`${name}/`)) ?? "";
  return file.imports.flatMap(({ from, line }) => {
    const target = posix.join(posix.dirname(file.path), from);
    const climbs = from.startsWith(".") && !target.startsWith(`${folder}/`) && !mayShareLook(folder, target);
    const inside = from.startsWith("#") || /^holdfast\/(?:src|dist)\b/.test(from);
    return climbs || inside
      ? [`${file.path}:${line} imports ${from}; an application uses the public entry points only`]
      : [];
  });
}

/** The two applications that show the product share one set of colours and one logo; the starter has neither. */
function mayShareLook(folder: string, target: string): boolean {
  if (folder === "tour" && /^docs\/console\/[\w-]+\.png\?image$/.test(target)) return true;
  return target.startsWith("look/") && (folder === "console" || folder === "tour");
}

function partOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

/** Finds cycles of files that import each other, types included. An `import()` runs later and makes no cycle. */
export function findCycles(files: readonly SourceFile[]): string[][] {
  const known = new Set(files.map(({ path }) => path));
  const needs = new Map(
    files.map(({ path, imports }) => [
      path,
      imports
        .filter(({ from, later }) => from.startsWith(".") && !later)
        .map(({ from }) => posix.join(dirname(path), from))
        .filter((target) => known.has(target)),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[][] = [];
  const walk = (path: string, way: string[]) => {
    const start = way.indexOf(path);
    if (start >= 0) cycles.push([...way.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const next of needs.get(path) ?? []) walk(next, [...way, path]);
    done.add(path);
  };
  for (const path of known) walk(path, []);
  return cycles;
}
