import { createFinder } from "./find-route.ts";
import { readParameter, readPathSegment } from "./read-segment.ts";
import type { PathSegment } from "./route-table.ts";
import { writeParameter, writePathSegment } from "./write-segment.ts";

/** One line of `redirects` in the configuration. */
export interface RedirectSetting {
  /** The old path: `/old`, `/old/[id]`, `/old/[...rest]`. */
  from: string;
  /** The new path or address, with the parameters of `from`: `/new/[id]`, `https://docs.example/[...rest]`. */
  to: string;
  /** Whether it will stay so. Search engines then forget the old address. Off by default. */
  permanent?: boolean;
}

/** One line of `rewrites` in the configuration. */
export interface RewriteSetting {
  /** The visitor's path: `/start`, `/shop/[...rest]`. */
  from: string;
  /** The page or API route that answers it, or another server: `/welcome`, `http://old-server:8080/shop/[...rest]`. */
  to: string;
}

/** A checked line of one of the tables. */
export interface AddressRule {
  readonly kind: "redirect" | "rewrite";
  readonly from: string;
  readonly segments: readonly PathSegment[];
  readonly to: RuleTarget;
  readonly permanent: boolean;
}

export interface RuleTarget {
  readonly text: string;
  /** `https://docs.example`; empty for a path of the application. */
  readonly origin: string;
  readonly segments: readonly PathSegment[];
  /** Search and hash as written; each is empty or begins with its mark. */
  readonly search: string;
  readonly hash: string;
}

export interface AddressRules {
  readonly rules: readonly AddressRule[];
  /** What is wrong with the tables, one text for each line. */
  readonly problems: readonly string[];
}

/** Reads and checks both tables, without regard to the routes of the application. */
export function readAddressRules(redirects: unknown, rewrites: unknown): AddressRules {
  const read = [...readTable("redirect", redirects), ...readTable("rewrite", rewrites)];
  const rules = read.filter((one) => typeof one !== "string");
  const problems = read.filter((one) => typeof one === "string");
  return { rules, problems: [...problems, ...duplicatesIn(rules)] };
}

const knownFields: Readonly<Record<AddressRule["kind"], readonly string[]>> = {
  redirect: ["from", "to", "permanent"],
  rewrite: ["from", "to"],
};

function readTable(kind: AddressRule["kind"], table: unknown): (AddressRule | string)[] {
  if (table === undefined) return [];
  if (!Array.isArray(table)) return [`${kind}s must be a list such as [{ from: "/old/[id]", to: "/new/[id]" }]`];
  return table.map((line: unknown, index) => {
    const name = `${kind}s[${index}]`;
    const fields = fieldsOf(line);
    const { from, to, permanent = false } = fields;
    if (typeof from !== "string" || typeof to !== "string") return `${name} must be { from: "/old", to: "/new" }`;
    const named = `${name} (from ${JSON.stringify(from)})`;
    const extra = Object.keys(fields).find((field) => !knownFields[kind].includes(field));
    if (extra !== undefined) return `${named} has an unknown field ${JSON.stringify(extra)}`;
    if (typeof permanent !== "boolean") return `${named}: permanent must be true or false`;
    const source = readPattern(from);
    if (typeof source === "string") return `${named}: from ${source}`;
    const own = ownPlaceIn(source);
    if (own !== undefined) return `${named}: from has ${JSON.stringify(own)}, which belongs to the framework`;
    const target = readTarget(to, source, kind);
    if (typeof target === "string") return `${named}: to ${JSON.stringify(to)} ${target}`;
    return { kind, from, segments: source, to: target, permanent };
  });
}

function fieldsOf(line: unknown): Readonly<Record<string, unknown>> {
  return typeof line === "object" && line !== null ? (line as Readonly<Record<string, unknown>>) : {};
}

/** Reads the segments of a path; a text says what is wrong with it. */
function readPattern(path: string): PathSegment[] | string {
  if (!/^\/(?!\/)/.test(path)) return "must be a path such as /old/[id]";
  if (/[?#]/.test(path)) return "must have no search and no hash";
  const segments: PathSegment[] = [];
  // Old addresses often end with a slash. The framework removes it before any rule is asked.
  for (const piece of path.slice(1).replace(/\/$/, "").split("/")) {
    if (piece === "" && path === "/") break;
    const segment = readPiece(piece);
    if (segment === undefined) return `has a segment ${JSON.stringify(piece)} that no address has`;
    if (segments.at(-1)?.kind === "rest") return "has segments after [...rest]";
    if (segment.kind !== "static" && nameIn(segments, segment)) return `has the parameter ${segment.name} twice`;
    segments.push(segment);
  }
  return segments;
}

function readPiece(piece: string): PathSegment | undefined {
  const [, dots, name] = /^\[(\.\.\.)?([a-zA-Z][\w-]*)\]$/.exec(piece) ?? [];
  if (name) return { kind: dots ? "rest" : "param", name };
  const text = /[[\]]/.test(piece) ? null : readPathSegment(piece);
  if (!text || text === "." || text === ".." || /[/\\\p{Cc}]|%[0-9a-f]{2}/iu.test(text)) return undefined;
  return { kind: "static", text };
}

function nameIn(segments: readonly PathSegment[], wanted: Exclude<PathSegment, { kind: "static" }>): boolean {
  return segments.some((one) => one.kind !== "static" && one.name === wanted.name);
}

const ownNames = new Set(["_data", "_keys", "_action", "_outcome", "_assets", "_holdfast"]);

function ownPlaceIn(segments: readonly PathSegment[]): string | undefined {
  const texts = segments.flatMap((one) => (one.kind === "static" ? [one.text] : []));
  const isHealth = texts.length === 1 && segments.length === 1 && /^(?:healthz|readyz)$/.test(texts[0] ?? "");
  return isHealth ? texts[0] : texts.find((text) => ownNames.has(text));
}

/** The host is written out, so that no request chooses where it leads. */
const address = /^(https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)?(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i;

function readTarget(text: string, source: readonly PathSegment[], kind: AddressRule["kind"]): RuleTarget | string {
  const [, origin = "", path = origin === "" ? "" : "/", search = "", hash = ""] = address.exec(text) ?? [];
  if (path === "" || (origin !== "" && !URL.canParse(origin)))
    return "must be a path such as /new/[id], or an address such as https://docs.example/[...rest]";
  if (/[^!-~]|[<>"\\]/.test(search + hash)) return "has a search or hash that no address has";
  if (kind === "rewrite" && search + hash !== "") return "must have no search and no hash: the visitor's are used";
  const segments = readPattern(path);
  if (typeof segments === "string") return segments;
  const unknown = segments.find(
    (one) => one.kind !== "static" && !source.some((other) => other.kind === one.kind && other.name === one.name),
  );
  if (unknown && unknown.kind !== "static") return `has the parameter ${unknown.name}, which from does not have`;
  return { text, origin: origin && new URL(origin).origin, segments, search, hash };
}

/** Patterns of the same shape match the same paths; the names of their parameters do not matter. */
export function shapeOfSegments(segments: readonly PathSegment[]): string {
  const shapes = { param: "[]", optional: "[[]]", rest: "[...]" };
  const shape = (one: Exclude<PathSegment, { kind: "static" }>): string =>
    shapes[one.kind] + ("matcher" in one ? one.matcher : "");
  return `/${segments.map((one) => (one.kind === "static" ? one.text : shape(one))).join("/")}`;
}

function duplicatesIn(rules: readonly AddressRule[]): string[] {
  const seen = new Map<string, AddressRule>();
  return rules.flatMap((rule) => {
    const shape = shapeOfSegments(rule.segments);
    const first = seen.get(shape);
    if (!first) {
      seen.set(shape, rule);
      return [];
    }
    return [`the ${rule.kind} from ${rule.from} has the same source as the ${first.kind} from ${first.from}`];
  });
}

/**
 * The path of a rule's target with the parameters filled in, below the path of the application if it is one of its
 * own.
 */
export function writeTargetPath({ origin, segments }: RuleTarget, params: Readonly<Record<string, string>>): string {
  // Only Holdfast knows how it writes values that a path cannot carry.
  const write = origin === "" ? writeParameter : writePathSegment;
  return fill(segments, params, write);
}

function fill(
  segments: readonly PathSegment[],
  params: Readonly<Record<string, string>>,
  write: (text: string) => string,
): string {
  const texts = segments.map((one) => {
    if (one.kind === "static") return writePathSegment(one.text);
    const value = params[one.name] ?? "";
    return one.kind === "rest" ? value.split("/").map(write).join("/") : write(value);
  });
  return `/${texts.join("/")}`;
}

/** The visitor's search goes along, after that of the target. */
export function joinSearch(own: string, visitors: string): string {
  return own === "" || visitors === "" ? own + visitors : `${own}&${visitors.slice(1)}`;
}

/**
 * The visitor's path for a path of the target: where the other server redirects to `/shop/7` of its own, the visitor
 * goes to the path from which that is reached. Undefined for a path that this rule does not reach.
 */
export function pathBack(rule: Pick<AddressRule, "segments" | "to">, path: string): string | undefined {
  const { index, values } = createFinder([rule.to], readParameter)(path);
  if (index < 0) return undefined;
  const named = rule.to.segments.filter((one) => one.kind !== "static");
  const params = Object.fromEntries(named.map(({ name }, at) => [name, values[at] ?? ""]));
  const isKnown = rule.segments.every((one) => one.kind === "static" || Object.hasOwn(params, one.name));
  return isKnown ? fill(rule.segments, params, writeParameter) : undefined;
}
