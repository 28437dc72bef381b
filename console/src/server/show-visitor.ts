import type { VisitorAnswer, VisitorIdentity } from "holdfast/service";
import type { ShownState } from "../parts/issue/issue-state.tsx";
import { visitorId, visitorName } from "./live-visitors.ts";
import { showState } from "./show-state.ts";
import type { NameOf } from "./shown-names.ts";

/** A visitor for their page: cut to a readable size, all of it text. */
export interface ShownVisitor {
  /** Id in addresses. */
  id: string;
  name: string;
  /** Other names: `Paula Paying, u-777`. */
  about: string;
  /** Finds their issues in the list. Undefined for an anonymous visit. */
  filter: string | undefined;
  firstAt: number;
  lastAt: number;
  visits: readonly ShownVisit[];
  devices: readonly string[];
  issues: readonly { number: number; title: string; state: ShownState; times: number }[];
  earlier: number | undefined;
  sums: { visits: number; withFailures: number; pages: number; failures: number; notes: number };
}

type PastVisit = VisitorAnswer["visits"][number];

export interface ShownVisit extends Pick<PastVisit, "from" | "to" | "releases" | "devices" | "failures"> {
  pages: readonly ShownPage[];
  /** Failures as shares of the visit's time. */
  marks: readonly number[];
  parts: readonly VisitPart[];
}

/** Steps in a row. Those far from any failure or note are folded, if they are many. */
export interface VisitPart {
  isFolded: boolean;
  steps: readonly ShownVisitStep[];
}

/** Its place and width as shares of the visit's time. */
export interface ShownPage {
  route: string;
  ms: number;
  start: number;
  width: number;
  fails: boolean;
}

export interface ShownVisitStep {
  at: number;
  kind: string;
  text: string;
  fails: boolean;
  times: number;
  /** Path below the project. */
  leads: string | undefined;
  digest: string | undefined;
  durationMs: number | undefined;
}

/** A visit with more steps has folded ones. */
const mostSteps = 12;
/** Steps that are shown before and after a failure or a note, and at the end of a visit. */
const shownBefore = 3;
const shownAfter = 1;
/** Fewer take no more room than the line that would open them. */
const fewestFolded = 3;
/** It is not known for how long the last page was open. It has at least this share of the strip. */
const shareOfLast = 0.06;
const longestText = 300;

/** `onlyFailing` leaves out visits in which nothing failed. The sums are of all. */
export function showVisitor(answer: VisitorAnswer, onlyFailing: boolean, nameOf: NameOf): ShownVisitor {
  const { visitor, who, firstAt, visits, issues, earlier } = answer;
  const steps = visits.flatMap((visit) => visit.steps);
  const id = visitorId(visitor);
  return {
    id,
    ...namesOf(who, id),
    filter: filterOf(who),
    firstAt,
    lastAt: Math.max(firstAt, ...visits.map(({ to }) => to)),
    visits: visits.filter(({ failures }) => !onlyFailing || failures > 0).map(showVisit),
    devices: [...new Set(visits.flatMap(({ devices }) => devices))],
    issues: issues.map((issue) => ({
      ...issue,
      title: issue.title.slice(0, longestText),
      state: showState(issue.state, nameOf),
    })),
    earlier,
    sums: {
      visits: visits.length,
      withFailures: visits.filter(({ failures }) => failures > 0).length,
      pages: visits.reduce((sum, { pages }) => sum + pages.length, 0),
      failures: visits.reduce((sum, { failures }) => sum + failures, 0),
      notes: steps.filter(({ kind }) => kind === "feedback").length,
    },
  };
}

function namesOf(who: VisitorIdentity | undefined, id: string): Pick<ShownVisitor, "name" | "about"> {
  const name = who?.email ?? who?.username ?? who?.name ?? who?.id;
  const others = [who?.name, who?.username, who?.id].filter((other) => other !== undefined && other !== name);
  return { name: visitorName(name, id), about: others.join(", ").slice(0, longestText) };
}

function filterOf(who: VisitorIdentity | undefined): string | undefined {
  const identity = who?.id ?? who?.email ?? who?.username;
  return identity === undefined
    ? undefined
    : `user:${/^[\w.@+-]+$/.test(identity) ? identity : JSON.stringify(identity)}`;
}

function showVisit({ from, to, releases, devices, failures, pages, steps }: PastVisit): ShownVisit {
  const lastPage = pages.at(-1);
  const end = lastPage ? Math.max(to, lastPage.from + (to - from) * shareOfLast) : to;
  const share = (at: number): number => (end === from ? 0 : Math.min(1, Math.max(0, (at - from) / (end - from))));
  return {
    from,
    to,
    releases,
    devices,
    failures,
    pages: pages.map((page) => ({
      route: page.route,
      ms: page.to - page.from,
      start: share(page.from),
      width: end === from ? 1 : share(page === lastPage ? end : page.to) - share(page.from),
      fails: page.failures.length > 0,
    })),
    marks: pages.flatMap((page) => page.failures).map(share),
    parts: partsOf(steps.map(showVisitStep)),
  };
}

function partsOf(steps: readonly ShownVisitStep[]): VisitPart[] {
  const isNotable = (place: number): boolean => steps[place]?.fails === true || steps[place]?.kind === kinds.feedback;
  const isNear = (place: number): boolean => {
    for (let other = place - shownAfter; other <= place + shownBefore; other++) if (isNotable(other)) return true;
    return place >= steps.length - shownBefore;
  };
  const parts: { isFolded: boolean; steps: ShownVisitStep[] }[] = [];
  for (const [place, step] of steps.entries()) {
    const isFolded = steps.length > mostSteps && !isNear(place);
    const last = parts.at(-1);
    if (last?.isFolded === isFolded) last.steps.push(step);
    else parts.push({ isFolded, steps: [step] });
  }
  return parts.map((part) => ({ ...part, isFolded: part.isFolded && part.steps.length >= fewestFolded }));
}

const kinds = { note: "step", feedback: "wrote" } as const;

function showVisitStep(step: PastVisit["steps"][number]): ShownVisitStep {
  const { at, kind, text, fails = false, times = 1, eventId, traceId, digest, durationMs } = step;
  return {
    at,
    kind: kind === "note" || kind === "feedback" ? kinds[kind] : kind,
    text: text.slice(0, longestText),
    fails,
    times,
    leads: eventId ? `events/${eventId}` : traceId && `traces/${traceId}`,
    digest,
    durationMs,
  };
}
