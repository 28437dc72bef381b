import { readCount } from "../../read-count.ts";
import { type CompileMatcher, compilePath, compileRoute, compileTag, compileUrl, type OwnedFacts } from "./matchers.ts";

/** Who owns what: one line of the rules. */
export interface OwnershipRule {
  /** From 1. */
  readonly line: number;
  /** The line without its owners: `route:/orders/**`. */
  readonly rule: string;
  /** The first one who is a member of the project gets the issue. */
  readonly owners: readonly string[];
  readonly matches: (facts: OwnedFacts) => boolean;
}

export interface LineProblem {
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

export interface OwnershipReading {
  readonly rules: readonly OwnershipRule[];
  readonly problems: readonly LineProblem[];
}

export interface OwnershipLimits {
  /** Rules of a project. A new issue is compared with all of them: 200 and a stack of 30 files take 8 ms. */
  readonly rules: number;
  /** Characters of a line. A path and some addresses are shorter. */
  readonly lineLength: number;
  /** Characters of all lines, comments included. Every process has them in memory. */
  readonly textLength: number;
}

export const ownershipLimits: OwnershipLimits = { rules: 200, lineLength: 500, textLength: 50_000 };

/** Applies the operator's settings. The longest text grows with them. */
export function ownershipLimitsOf(env: NodeJS.ProcessEnv): OwnershipLimits {
  const { textLength, ...usual } = ownershipLimits;
  const rules = readCount(env, "HOLDFAST_OWNERSHIP_RULES") ?? usual.rules;
  const lineLength = readCount(env, "HOLDFAST_OWNERSHIP_LINE") ?? usual.lineLength;
  const growth = Math.max(1, (rules * lineLength) / (usual.rules * usual.lineLength));
  return { rules, lineLength, textLength: Math.round(textLength * growth) };
}

const compilers: Readonly<Record<string, CompileMatcher>> = {
  path: compilePath,
  route: compileRoute,
  url: compileUrl,
  tag: compileTag,
};

/** More would not be read. The next attempt shows the others. */
const problemsShown = 20;

/** Reads rules that a person wrote. A wrong line is a problem, and the others hold. */
export function readOwnership(text: string, limits: OwnershipLimits): OwnershipReading {
  const rules: OwnershipRule[] = [];
  const problems: LineProblem[] = [];
  const add = (line: number, why: string): void => {
    if (problems.length < problemsShown) problems.push({ line, why });
  };
  const lines = text.slice(0, limits.textLength).split("\n");
  for (const [index, written] of lines.entries()) {
    const line = index + 1;
    const content = written.trim();
    if (content === "" || content.startsWith("#")) continue;
    if (rules.length === limits.rules) {
      add(line, `A project has at most ${limits.rules} rules.`);
      break;
    }
    const reading = content.length > limits.lineLength ? tooLong(limits) : readLine(content);
    if (reading.kind === "wrong") add(line, reading.why);
    else rules.push({ line, ...reading.rule });
  }
  if (text.length > limits.textLength)
    add(lines.length, `All lines together have at most ${limits.textLength} characters. The rest was not read.`);
  return { rules, problems };
}

/** The rules hold from top to bottom: of those that match, the last one decides, as in a CODEOWNERS file. */
export function ruleThatMatches(rules: readonly OwnershipRule[], facts: OwnedFacts): OwnershipRule | undefined {
  return rules.findLast(({ matches }) => matches(facts));
}

type LineReading = { kind: "read"; rule: Omit<OwnershipRule, "line"> } | { kind: "wrong"; why: string };

const wrong = (why: string): LineReading => ({ kind: "wrong", why });
const tooLong = ({ lineLength }: OwnershipLimits): LineReading => wrong(`A line has at most ${lineLength} characters.`);

function readLine(content: string): LineReading {
  const line = fromSentry(content);
  const colon = line.indexOf(":");
  const kind = line.slice(0, Math.max(colon, 0)).toLowerCase();
  const compile = Object.hasOwn(compilers, kind) ? compilers[kind] : undefined;
  if (compile === undefined)
    return wrong("A rule begins with path:, route:, url: or tag:, such as path:src/checkout/** ada@example.org.");
  const split = splitPattern(line.slice(colon + 1));
  if (split === undefined) return wrong('The " is not closed.');
  const { pattern, rest } = split;
  if (pattern === "") return wrong(`Write a pattern after ${kind}:, without a space between them.`);
  const compiled = compile(pattern);
  if (compiled.kind === "refused") return wrong(compiled.why);
  const owners = ownersIn(rest);
  if (owners.length === 0) return wrong("Name a person after the pattern.");
  const stranger = owners.find((owner) => /^[@#]/.test(owner));
  if (stranger !== undefined)
    return wrong(`${stranger} is no person of this service. Write an address such as ada@example.org.`);
  return { kind: "read", rule: { rule: `${kind}:${quotedIfNeeded(pattern)}`, owners, matches: compiled.matches } };
}

/** The rules of Sentry write `tags.name:value`. */
function fromSentry(line: string): string {
  return line.replace(/^tags\.([^\s:"]+):("?)/, "tag:$2$1=");
}

/** A pattern with spaces is quoted. Undefined if the second quote is missing. */
function splitPattern(text: string): { pattern: string; rest: string } | undefined {
  if (text.startsWith('"')) {
    const end = text.indexOf('"', 1);
    return end < 0 ? undefined : { pattern: text.slice(1, end), rest: text.slice(end + 1) };
  }
  const end = text.search(/\s/);
  return end < 0 ? { pattern: text, rest: "" } : { pattern: text.slice(0, end), rest: text.slice(end) };
}

/** Up to a comment. */
function ownersIn(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const comment = words.indexOf("#");
  return comment < 0 ? words : words.slice(0, comment);
}

export function quotedIfNeeded(pattern: string): string {
  return /\s/.test(pattern) ? `"${pattern}"` : pattern;
}
