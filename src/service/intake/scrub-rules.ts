import { isObject } from "#protocol";
import { compileExpression, type ReplaceMatches } from "./expressions.ts";
import { compileNames } from "./glob.ts";

/** What a project takes out of its reports, beside the secrets that the service knows. */
export interface ProjectScrubRule {
  readonly id: string;
  /** Names with `*`, separated by dots; `**` stands for any number of them. Empty for everywhere. */
  readonly path: string;
  /** Taken out of texts. Empty for the whole value. */
  readonly expression: string;
  readonly createdAt: number;
}

export interface ScrubRuleLimits {
  /** Each value of a report is compared with all of them. */
  readonly perProject: number;
  readonly pathLength: number;
  readonly expressionLength: number;
  /** Clients nest less deep, and what is deeper is cut when it is filed. */
  readonly depth: number;
}

export const scrubRuleLimits: ScrubRuleLimits = { perProject: 30, pathLength: 200, expressionLength: 200, depth: 50 };

/** In place of what was taken out. */
const placeholder = "[scrubbed]";

type Rule = Pick<ProjectScrubRule, "path" | "expression">;

/** Returns what is wrong with a rule that a person typed in. */
export function problemOfScrubRule({
  path,
  expression,
}: Rule): { field: "path" | "expression"; why: string } | undefined {
  const { pathLength, expressionLength } = scrubRuleLimits;
  if (path.length > pathLength) return { field: "path", why: `At most ${pathLength} characters.` };
  if (expression.length > expressionLength)
    return { field: "expression", why: `At most ${expressionLength} characters.` };
  if (path !== "" && path.split(".").some((name) => name.trim() === ""))
    return { field: "path", why: "Write names between the dots: request.headers.x-*." };
  if (expression === "" && path.replace(/[*.]/g, "") === "")
    return { field: "path", why: "It would take out everything. Name a part, or write an expression." };
  const compiled = expression === "" ? undefined : compileExpression(expression);
  return compiled?.kind === "refused" ? { field: "expression", why: compiled.why } : undefined;
}

export function isScrubRule(value: unknown): value is ProjectScrubRule {
  if (!isObject(value)) return false;
  const { id, path, expression, createdAt } = value;
  return [id, path, expression].every((text) => typeof text === "string") && typeof createdAt === "number";
}

/** Called with each value that a rule has changed. */
export type OnScrubbed = (path: string, before: unknown, after: unknown) => void;

/** Returns the value without what the rules take out; the same value if there was nothing. */
export type ScrubByRules = (value: unknown, onScrubbed?: OnScrubbed) => unknown;

type IsAt = (path: readonly string[]) => boolean;

interface CompiledRule {
  readonly isAt: IsAt;
  /** Where the value itself stays if it has names, because only what is below it goes. */
  readonly isOnlyBelow: IsAt;
  /** Undefined for the whole value. */
  readonly replace: ReplaceMatches | undefined;
}

/** A list is compiled once: the projects make a new one for each change. */
const compiled = new WeakMap<readonly Rule[], readonly CompiledRule[]>();

export function scrubByRules(rules: readonly Rule[]): ScrubByRules {
  const list = compiled.get(rules) ?? rules.flatMap(compileRule);
  compiled.set(rules, list);
  return (value, onScrubbed = () => undefined) => scrub(value, list, [], onScrubbed);
}

function compileRule({ path, expression }: Rule): CompiledRule[] {
  const found = expression === "" ? undefined : compileExpression(expression);
  if (found?.kind === "refused") return [];
  const names = (path === "" ? "**" : path).split(".");
  const isAt = compileNames(names);
  if (names.at(-1) !== "**") return [{ isAt, isOnlyBelow: () => false, replace: found?.replace }];
  const isBelow = compileNames([...names, "*"]);
  return [{ isAt, isOnlyBelow: (at) => isAt(at) && !isBelow(at), replace: found?.replace }];
}

function scrub(
  value: unknown,
  rules: readonly CompiledRule[],
  path: readonly string[],
  onScrubbed: OnScrubbed,
): unknown {
  const matching = path.length === 0 ? [] : rules.filter(({ isAt }) => isAt(path));
  const takesWhole = ({ replace, isOnlyBelow }: CompiledRule): boolean =>
    replace === undefined && (typeof value !== "object" || !isOnlyBelow(path));
  if (matching.some(takesWhole) && value !== null && value !== placeholder) {
    onScrubbed(path.join("."), value, placeholder);
    return placeholder;
  }
  if (typeof value === "string" || typeof value === "number") return scrubText(value, matching, path, onScrubbed);
  if (typeof value !== "object" || value === null) return value;
  // What is deeper is cut when it is filed.
  if (path.length > scrubRuleLimits.depth) return value;
  // Lists have no names: an entry is where its list is.
  if (Array.isArray(value)) return withEntries(value, (entry) => scrub(entry, rules, path, onScrubbed));
  const changed: [string, unknown][] = [];
  for (const [name, entry] of Object.entries(value)) {
    // Clients wrap some lists: `exception.values`.
    const below = name === "values" && Array.isArray(entry) ? path : [...path, name];
    const clean = scrub(entry, rules, below, onScrubbed);
    if (clean !== entry) changed.push([name, clean]);
  }
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

function scrubText(
  value: string | number,
  rules: readonly CompiledRule[],
  path: readonly string[],
  onScrubbed: OnScrubbed,
): unknown {
  const before = String(value);
  const after = rules.reduce((text, { replace }) => replace?.(text, placeholder) ?? text, before);
  if (after === before) return value;
  onScrubbed(path.join("."), value, after);
  return after;
}

function withEntries(list: readonly unknown[], change: (entry: unknown) => unknown): readonly unknown[] {
  const changed = list.map(change);
  return changed.every((entry, index) => entry === list[index]) ? list : changed;
}
