import type { Access } from "../accounts/access.ts";
import type { Administration } from "../administration/administration.ts";
import { ownedFactsOf } from "../filing/owned-facts.ts";
import { titleLine } from "../grouping/title.ts";
import { findOwner, type KnownOwner } from "../issues/ownership/find-owner.ts";
import { fromCodeowners } from "../issues/ownership/from-codeowners.ts";
import {
  type LineProblem,
  type OwnershipLimits,
  type OwnershipRule,
  readOwnership,
} from "../issues/ownership/ownership-rules.ts";
import type { Projects } from "../projects.ts";
import { everyIssue } from "../stores/filter-language.ts";
import type { IssueRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";

/** The rules of a project, and what is wrong with them. */
export interface OwnershipAnswer {
  /** One rule in a line. */
  readonly rules: string;
  /** Lines that are no rule. Rules with such lines are not saved. */
  readonly problems: readonly LineProblem[];
  /** Lines that name a person who is no member of the project. Those people get nothing. */
  readonly strangers: readonly LineProblem[];
}

export type OwnershipOutcome = OwnershipAnswer & { readonly kind: "saved" | "refused" };

/** The rule that decides about an issue by its newest event. */
export interface RuleOfIssue {
  readonly rule: string;
  readonly line: number;
  /** The person who would get it. Absent if the rule names no member of the project. */
  readonly to?: string | undefined;
}

export interface OwnershipTrial {
  readonly number: number;
  readonly title: string;
  readonly assignee?: string | undefined;
  /** Absent if no rule matches. */
  readonly owner?: RuleOfIssue | undefined;
}

export type OwnershipTrialOutcome =
  | { readonly kind: "tried"; readonly issues: readonly OwnershipTrial[] }
  | { readonly kind: "refused"; readonly problems: readonly LineProblem[] };

/** Who gets which issues. Every change is in the audit log. */
export interface OwnershipApi {
  of(project: number): Promise<OwnershipAnswer>;
  /** Replaces the rules. They hold within a second, for issues that are new or come back from then on. */
  change(project: number, rules: string, by: string): Promise<OwnershipOutcome>;
  /** Says which of the newest issues each rule would decide about. Nothing is changed. */
  try(project: number, rules: string): Promise<OwnershipTrialOutcome>;
  /** The rule that decides about an issue. Undefined if there is none, or no such issue. */
  ruleOf(project: number, number: number): Promise<RuleOfIssue | undefined>;
  /** Writes the lines of a CODEOWNERS file as rules. Nothing is saved. */
  fromCodeowners(text: string): string;
}

export interface OwnershipApiDeps {
  readonly projects: Projects;
  readonly store: () => Promise<StoreReader>;
  readonly administration: Administration;
  readonly access: Access;
  readonly limits: OwnershipLimits;
}

/** Enough to see what rules do, and few enough to read. */
const triedIssues = 50;

export function openOwnershipApi(deps: OwnershipApiDeps): OwnershipApi {
  const { projects, store, administration, access, limits } = deps;
  const textOf = (project: number): string => projects.byId(project)?.ownership?.rules ?? "";
  const answerFor = async (project: number, rules: string): Promise<OwnershipAnswer> => {
    const reading = readOwnership(rules, limits);
    const strangers = strangersIn(reading.rules, await knownOwners(access, project));
    return { rules, problems: reading.problems, strangers };
  };
  return {
    of: (project) => answerFor(project, textOf(project)),
    async change(project, text, by) {
      const rules = text.replaceAll("\r\n", "\n").trim();
      const answer = await answerFor(project, rules);
      if (answer.problems.length > 0) return { kind: "refused", ...answer };
      const before = readOwnership(textOf(project), limits).rules.length;
      await projects.change(project, { ownership: { rules, membersOnly: access.kind === "accounts" } });
      const after = readOwnership(rules, limits).rules.length;
      await administration.record({ by, project, what: `changed the ownership rules: ${after}, before ${before}` });
      return { kind: "saved", ...answer };
    },
    async try(project, text) {
      const { rules, problems } = readOwnership(text, limits);
      if (problems.length > 0) return { kind: "refused", problems };
      const reader = await store();
      const { issues } = await reader.issues({ project, filter: everyIssue, sort: "last-seen", limit: triedIssues });
      const owners = await ownersOf(reader, issues, { rules, knownOwner: await knownOwners(access, project) });
      const tried = issues.map(({ id, number, type, title, assignee }) => ({
        number,
        title: titleLine(type, title),
        assignee,
        owner: owners.get(id),
      }));
      return { kind: "tried", issues: tried };
    },
    async ruleOf(project, number) {
      const { rules } = readOwnership(textOf(project), limits);
      if (rules.length === 0) return undefined;
      const reader = await store();
      const issue = await reader.issue(project, { number });
      if (issue === undefined) return undefined;
      const owners = await ownersOf(reader, [issue], { rules, knownOwner: await knownOwners(access, project) });
      return owners.get(issue.id);
    },
    fromCodeowners: (text) => fromCodeowners(text.slice(0, limits.textLength)),
  };
}

/** A service with accounts knows its people. Without accounts, the application names them. */
async function knownOwners(access: Access, project: number): Promise<KnownOwner> {
  if (access.kind !== "accounts") return (written) => written;
  const members = new Set((await access.accounts.membersOf(project)).map(({ email }) => email));
  return (written) => (members.has(written.toLowerCase()) ? written.toLowerCase() : undefined);
}

function strangersIn(rules: readonly OwnershipRule[], knownOwner: KnownOwner): LineProblem[] {
  return rules.flatMap(({ line, owners }) => {
    const strangers = owners.filter((owner) => knownOwner(owner) === undefined);
    if (strangers.length === 0) return [];
    const who = `${strangers.join(", ")} ${strangers.length === 1 ? "is no member" : "are no members"} of this project`;
    return [{ line, why: strangers.length < owners.length ? `${who}.` : `${who}, so this rule assigns nothing.` }];
  });
}

/** By the newest event of each issue. One whose event is no longer stored has no entry. */
async function ownersOf(
  store: StoreReader,
  issues: readonly IssueRecord[],
  { rules, knownOwner }: { rules: readonly OwnershipRule[]; knownOwner: KnownOwner },
): Promise<ReadonlyMap<number, RuleOfIssue>> {
  const [first] = issues;
  if (first === undefined) return new Map();
  const ids = issues.map(({ lastEventId }) => lastEventId);
  const events = await store.eventsById(first.project, ids);
  const bodies = new Map(events.map(({ eventId, body }) => [eventId, body]));
  return new Map(
    issues.flatMap(({ id, lastEventId }) => {
      const body = bodies.get(lastEventId);
      const found = body?.kind === "whole" ? findOwner(rules, ownedFactsOf(body.event), knownOwner) : undefined;
      return found === undefined ? [] : [[id, { rule: found.rule.rule, line: found.rule.line, to: found.to }] as const];
    }),
  );
}
