import { href } from "holdfast";
import { consoleApi, type FindResult, lastDays, readFilter, type SearchAnswer } from "holdfast/service";
import { findEvent } from "./find-event.ts";
import { titleOf } from "./issue-title.ts";
import { knownPeople } from "./known-people.ts";
import { namedVisitor, visitorId, visitorName } from "./live-visitors.ts";
import type { Scope } from "./scope.ts";

/** A line below the box: a link, or a completion of the typed text. */
export type Suggestion = LeadingSuggestion | { kind: "fills"; with: string; text: string; hint: string };

export interface LeadingSuggestion {
  kind: "leads";
  to: string;
  text: string;
  hint: string;
}

const mostOfAKind = 6;

/**
 * Returns possible meanings of the typed text: a thing by its name, an issue by its words, a screen, the next word of
 * the filter.
 */
export async function suggestionsFor(scope: Scope, typed: string): Promise<Suggestion[]> {
  const text = typed.trim();
  const found = await Promise.all([
    named(scope, text),
    thingsLike(scope, text),
    completions(scope, typed),
    issuesLike(scope, text),
  ]);
  return withoutRepeats([...found.flat(), ...screensLike(scope, text)]);
}

/** What is found by its whole name is also found by a part of it. */
function withoutRepeats(suggestions: readonly Suggestion[]): Suggestion[] {
  const places = new Set<string>();
  return suggestions.filter((suggestion) => {
    const place = suggestion.kind === "leads" ? suggestion.to : suggestion.with;
    return !places.has(place) && places.add(place);
  });
}

/** Visitors, releases and routes whose name contains the text. */
async function thingsLike({ project: { id: project } }: Scope, text: string): Promise<Suggestion[]> {
  if (isFilter(text)) return [];
  return linksOf(project, await consoleApi().search(project, text));
}

/** Text with a term, such as `is:open`, is about issues only. */
export function isFilter(text: string): boolean {
  const { states, terms } = readFilter(text);
  return states.length + terms.length > 0;
}

/** A visitor, release or route as a line. */
export function linksOf(project: number, { visitors, releases, routes }: SearchAnswer): LeadingSuggestion[] {
  return [
    ...visitors.map(({ visitor, name, about }) => {
      const id = visitorId(visitor);
      const text = [visitorName(name, id), about].filter(Boolean).join(", ").slice(0, 200);
      return { kind: "leads", to: href("/[project]/visitors/[id]", { project, id }), text, hint: "visitor" } as const;
    }),
    ...releases.map((name) => {
      const to = href("/[project]/releases/named", { project }, { name });
      return { kind: "leads", to, text: name, hint: "release" } as const;
    }),
    ...routes.map((route) => {
      const to = href("/[project]/pages/route", { project }, { route });
      return { kind: "leads", to, text: route, hint: "route" } as const;
    }),
  ];
}

async function named({ project: { id: project }, person }: Scope, text: string): Promise<Suggestion[]> {
  if (text === "") return [];
  const found: FindResult = await consoleApi().find(project, text);
  switch (found.kind) {
    case "event": {
      const to = href("/[project]/events/[id]", { project, id: found.eventId });
      return [{ kind: "leads", to, text: found.eventId, hint: "event" }];
    }
    case "feedback": {
      const to = href("/[project]/feedback", { project }, { id: found.id });
      return [{ kind: "leads", to, text: found.id, hint: "feedback" }];
    }
    case "trace": {
      const to = href("/[project]/traces/[id]", { project, id: found.traceId });
      return [{ kind: "leads", to, text: found.traceId, hint: "trace" }];
    }
    case "issue": {
      const to = href("/[project]/issues/[number]", { project, number: found.number });
      return [{ kind: "leads", to, text: `#${found.number}`, hint: "issue" }];
    }
    case "release": {
      const to = href("/[project]/releases/named", { project }, { name: found.name });
      return [{ kind: "leads", to, text: found.name, hint: "release" }];
    }
    case "visitor": {
      const { id, name } = await namedVisitor(project, found.visitor);
      return [{ kind: "leads", to: href("/[project]/visitors/[id]", { project, id }), text: name, hint: "visitor" }];
    }
    case "issues": {
      const elsewhere = await findEvent(person, text);
      if (elsewhere === undefined) return [];
      const to = href("/[project]/events/[id]", elsewhere);
      return [{ kind: "leads", to, text: elsewhere.id, hint: `event of project ${elsewhere.project}` }];
    }
  }
}

const fieldNames: readonly (readonly [name: string, hint: string])[] = [
  ["is", "open, regressed, resolved, muted, unresolved"],
  ["release", "seen in; * stands for any characters"],
  ["first-release", "first seen in"],
  ["resolved-in", "said to be fixed in a release"],
  ["regressed-in", "came back in a release"],
  ["route", "of the application"],
  ["environment", "production, staging …"],
  ["user", "id or e-mail address of a visitor"],
  ["level", "fatal, error, warning, info"],
  ["type", "class of the error"],
  ["assigned", "a person, me or none"],
  ["platform", "node, javascript …"],
];

/** The word being typed, with or without a minus before it. */
const lastWord = /(?:^|\s)(-?)(?:([A-Za-z][\w.-]*):)?([^\s"]*)$/;

async function completions(scope: Scope, typed: string): Promise<Suggestion[]> {
  const match = lastWord.exec(typed);
  const [, minus = "", field, begun = ""] = match ?? [];
  const before = typed.slice(0, typed.length - begun.length - (field ? field.length + 1 : 0) - minus.length);
  const fill = (text: string, hint: string, end: string): Suggestion => ({
    kind: "fills",
    with: `${before}${minus}${text}${end}`,
    text: `${minus}${text}`,
    hint,
  });
  if (field !== undefined) {
    const values = await valuesOf(scope, field.toLowerCase(), begun);
    return values
      .filter((value) => value.toLowerCase().includes(begun.toLowerCase()) && value !== begun)
      .slice(0, mostOfAKind)
      .map((value) => fill(`${field}:${/[\s"]/.test(value) ? JSON.stringify(value) : value}`, "", " "));
  }
  if (begun === "") return [];
  return fieldNames
    .filter(([name]) => name.startsWith(begun.toLowerCase()))
    .map(([name, hint]) => fill(`${name}:`, hint, ""));
}

async function valuesOf(scope: Scope, field: string, begun: string): Promise<readonly string[]> {
  const api = consoleApi();
  const { id } = scope.project;
  switch (field) {
    case "is":
      return ["unresolved", "open", "regressed", "resolved", "muted"];
    case "level":
      return ["fatal", "error", "warning", "info", "debug"];
    case "platform":
      return ["javascript", "node", "python", "php", "ruby", "java", "go", "csharp", "native"];
    case "assigned":
    case "assignee":
      return ["me", "none", ...(await knownPeople(scope)).map(({ name }) => name)];
    case "release":
    case "first-release":
    case "resolved-in":
    case "regressed-in":
      return api.releaseNames(id);
    case "user":
      return (await api.search(id, begun)).visitors.flatMap(({ name }) => name ?? []);
    case "route":
    case "transaction":
      return (await api.pages(id, lastDays(1, api.now()))).map(({ route }) => route);
    default:
      return [];
  }
}

export async function issuesLike({ project }: Pick<Scope, "project">, text: string): Promise<LeadingSuggestion[]> {
  if (text.length < 2) return [];
  const api = consoleApi();
  const { rows } = await api.issues({
    project: project.id,
    filter: text,
    limit: mostOfAKind,
    period: lastDays(1, api.now()),
  });
  return rows.map((row) => ({
    kind: "leads",
    to: href("/[project]/issues/[number]", { project: project.id, number: row.number }),
    text: titleOf(row).slice(0, 200),
    hint: `#${row.number} ${row.state.kind}`,
  }));
}

const screens = [
  { name: "Overview", route: "/[project]" },
  { name: "Issues", route: "/[project]/issues" },
  { name: "Feedback", route: "/[project]/feedback" },
  { name: "Pages", route: "/[project]/pages" },
  { name: "Logs", route: "/[project]/logs" },
  { name: "Spans", route: "/[project]/spans" },
  { name: "Releases", route: "/[project]/releases" },
  { name: "Kept submissions", route: "/[project]/kept" },
  { name: "Live", route: "/[project]/live" },
  { name: "Settings", route: "/[project]/settings" },
] as const;

function screensLike({ project }: Scope, text: string): Suggestion[] {
  return screens
    .filter(({ name }) => name.toLowerCase().startsWith(text.toLowerCase()))
    .map(({ name, route }) => ({
      kind: "leads",
      to: href(route, { project: project.id }),
      text: name,
      hint: "screen",
    }));
}
