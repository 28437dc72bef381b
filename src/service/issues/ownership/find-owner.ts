import type { OwnedFacts } from "./matchers.ts";
import { type OwnershipRule, ruleThatMatches } from "./ownership-rules.ts";

/** Returns the person as the service knows them. Undefined for a stranger. */
export type KnownOwner = (written: string) => string | undefined;

export interface FoundOwner {
  readonly rule: OwnershipRule;
  /** Undefined if the rule names no person of the project. Another rule is then not asked. */
  readonly to: string | undefined;
}

/** The rule that decides about an event, and the first of its people who belongs to the project. */
export function findOwner(
  rules: readonly OwnershipRule[],
  facts: OwnedFacts,
  knownOwner: KnownOwner,
): FoundOwner | undefined {
  const rule = ruleThatMatches(rules, facts);
  if (rule === undefined) return undefined;
  const people = rule.owners.map(knownOwner);
  return { rule, to: people.find((person) => person !== undefined) };
}
