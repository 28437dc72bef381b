import { randomBytes } from "node:crypto";
import type { ReportedEvent } from "#protocol";
import type { Administration } from "../administration/administration.ts";
import { type ProjectScrubRule, problemOfScrubRule, scrubByRules, scrubRuleLimits } from "../intake/scrub-rules.ts";
import type { Projects } from "../projects.ts";
import type { StoreReader } from "../stores/store.ts";

export interface ScrubRuleWish {
  readonly path: string;
  readonly expression: string;
}

export type ScrubRuleOutcome =
  | { readonly kind: "done"; readonly rule: ProjectScrubRule }
  /** By field; an empty name is for the whole. */
  | { readonly kind: "refused"; readonly problems: Readonly<Record<string, string>> };

/** One of the newest events, and what a rule would take out of it. */
export interface ScrubTrial {
  readonly eventId: string;
  readonly title: string;
  readonly at: number;
  readonly changes: readonly { readonly path: string; readonly before: string; readonly after: string }[];
}

export type ScrubTrialOutcome =
  | { readonly kind: "tried"; readonly events: readonly ScrubTrial[] }
  | { readonly kind: "refused"; readonly problems: Readonly<Record<string, string>> };

/** What a project takes out of its reports. Every change is in the audit log. */
export interface ScrubApi {
  of(project: number): readonly ProjectScrubRule[];
  /** It holds within a second, for what is filed from then on. */
  add(project: number, wish: ScrubRuleWish, by: string): Promise<ScrubRuleOutcome>;
  /** Resolves with whether there was such a rule. */
  remove(project: number, id: string, by: string): Promise<boolean>;
  /** Says what a rule would take out of the newest events that are stored. Nothing is changed. */
  try(project: number, wish: ScrubRuleWish): Promise<ScrubTrialOutcome>;
}

export interface ScrubApiDeps {
  readonly projects: Projects;
  readonly store: () => Promise<StoreReader>;
  readonly administration: Administration;
  readonly now: () => number;
}

/** Enough to see a mistake, and few enough to read. */
const triedEvents = 20;
const shownChanges = 20;
const shownChars = 200;
/** Newest rows in which the events are looked for. */
const lookedThrough = 500;

export function openScrubApi({ projects, store, administration, now }: ScrubApiDeps): ScrubApi {
  return {
    of: (project) => projects.byId(project)?.scrubRules ?? [],
    async add(project, { path, expression }, by) {
      const rule = { id: randomBytes(6).toString("hex"), path: path.trim(), expression, createdAt: now() };
      let problems = problemsOf(rule);
      if (problems !== undefined) return { kind: "refused", problems };
      await projects.update(project, ({ scrubRules = [] }) => {
        problems = problemBeside(scrubRules, rule);
        return problems === undefined ? { scrubRules: [...scrubRules, rule] } : {};
      });
      if (problems !== undefined) return { kind: "refused", problems };
      await administration.record({ by, project, what: `takes out of reports: ${wordsOf(rule)}` });
      return { kind: "done", rule };
    },
    async remove(project, id, by) {
      let removed: ProjectScrubRule | undefined;
      await projects.update(project, ({ scrubRules = [] }) => {
        removed = scrubRules.find((rule) => rule.id === id);
        return { scrubRules: scrubRules.filter((rule) => rule.id !== id) };
      });
      if (removed === undefined) return false;
      await administration.record({ by, project, what: `no longer takes out of reports: ${wordsOf(removed)}` });
      return true;
    },
    async try(project, wish) {
      const problems = problemsOf(wish);
      if (problems !== undefined) return { kind: "refused", problems };
      return { kind: "tried", events: await tryOn(await store(), project, wish) };
    },
  };
}

async function tryOn(store: StoreReader, project: number, wish: ScrubRuleWish): Promise<ScrubTrial[]> {
  const rows = await store.recent({ project, limit: lookedThrough });
  const newest = rows.flatMap((row) => (row.kind === "event" ? [row] : [])).slice(-triedEvents);
  const records = await store.eventsById(
    project,
    newest.map(({ eventId }) => eventId),
  );
  const bodies = new Map(records.map(({ eventId, body }) => [eventId, body]));
  const scrub = scrubByRules([wish]);
  return newest.reverse().flatMap(({ eventId, title, at }) => {
    const body = bodies.get(eventId);
    if (body?.kind !== "whole") return [];
    const changes: { path: string; before: string; after: string }[] = [];
    scrub(asReported(body.event), (path, before, after) => {
      if (changes.length < shownChanges) changes.push({ path, before: shown(before), after: shown(after) });
    });
    return [{ eventId, title, at, changes }];
  });
}

/** The names that clients use, which the rules name. What is stored has some names of its own. */
function asReported({ exceptions, request, user, message, ...rest }: ReportedEvent): object {
  return {
    ...rest,
    ...(message && { message: message.text }),
    exception: exceptions.map(({ frames, ...exception }) => ({ ...exception, stacktrace: { frames } })),
    ...(request && { request: { ...request, query_string: request.queryString, queryString: undefined } }),
    ...(user && { user: { ...user, ip_address: user.ipAddress, ipAddress: undefined } }),
  };
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
}

function problemsOf(wish: ScrubRuleWish): Record<string, string> | undefined {
  const problem = problemOfScrubRule({ path: wish.path.trim(), expression: wish.expression });
  return problem && { [problem.field]: problem.why };
}

function problemBeside(
  rules: readonly ProjectScrubRule[],
  { path, expression }: ProjectScrubRule,
): Record<string, string> | undefined {
  if (rules.some((one) => one.path === path && one.expression === expression))
    return { "": "There is such a rule already." };
  const { perProject } = scrubRuleLimits;
  return rules.length < perProject ? undefined : { "": `A project has at most ${perProject} rules. Remove one first.` };
}

/** An expression may quote a secret, so the log has only its path. */
function wordsOf({ path, expression }: ProjectScrubRule): string {
  const where = path === "" ? "everywhere" : path;
  return expression === "" ? where : `an expression, ${where}`;
}
