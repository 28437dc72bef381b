import { invalid, notFound } from "holdfast/server";
import { consoleApi, lastDays } from "holdfast/service";
import { grouped, many } from "../parts/charts/numbers.ts";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";

type HealingApi = NonNullable<ReturnType<ReturnType<typeof consoleApi>["healing"]>>;
type Status = NonNullable<Awaited<ReturnType<HealingApi["status"]>>>;
type RouteStatus = Status["routes"][number];
type Cause = Extract<RouteStatus["state"], { kind: "trial" }>["cause"];

/** One route of a release that has failed more than before, or that an operator has pinned. */
export interface HealedRoute {
  route: string;
  /** `reported`: only its issue is known, because the application runs elsewhere or serves another release now. */
  state: "healed" | "trial" | "pinned" | "not healed" | "warned" | "returned" | "reported";
  /** The release that answers it, if that is known. */
  on: string | undefined;
  since: number;
  why: string;
  /** When the new build is tried again. */
  triedAt?: number | undefined;
  issue: number | undefined;
  /** What an operator can choose. */
  choices: readonly PinWish[];
}

export type PinWish = "new" | "before" | "unpin";

/** The builds that answer the routes of a release. */
export interface Healing {
  /** Where the state of its routes is: here, with an application elsewhere, or nowhere because the release is over. */
  place: "here" | "elsewhere" | "over";
  before: string | undefined;
  /** Those that differ from the rule, which is that the release answers. */
  routes: readonly HealedRoute[];
  /** Routes that run on this release, for an operator who wants the build before. */
  pinnable: readonly string[];
}

/** More routes than a person reads. */
const issuesRead = 100;

export async function healingOf(project: number, release: string): Promise<Healing> {
  const healing = consoleApi().healing(project);
  const [status, issues] = await Promise.all([healing?.status(), noticesOf(project, release)]);
  return showHealing(release, { status, isElsewhere: healing === undefined, issues });
}

interface Known {
  /** Of the release that the application serves. */
  status: Status | undefined;
  isElsewhere: boolean;
  /** By route. */
  issues: ReadonlyMap<string, Notice>;
}

/** What the application says of its routes comes first; where it says nothing, its issues do. */
export function showHealing(release: string, { status, isElsewhere, issues }: Known): Healing {
  const here = status?.name === release ? status : undefined;
  const known = new Map(here?.routes.map((one) => [one.route, one]));
  const remarkable = [...known.values()].filter(({ state }) => state.kind !== "new");
  const isUsual = (route: string): boolean => !remarkable.some((one) => one.route === route);
  const reported = [...issues].filter(([route]) => isUsual(route));
  const isPinnable = here?.before !== undefined && here.never === undefined;
  return {
    place: here ? "here" : isElsewhere ? "elsewhere" : "over",
    before: here?.before,
    routes: [
      ...remarkable.map((one) => ({ ...shownRoute(one, here), issue: issues.get(one.route)?.number })),
      ...reported.map(([route, issue]) => reportedRoute(route, issue, known.has(route) ? release : undefined)),
    ],
    pinnable: isPinnable ? [...known.keys()].filter(isUsual) : [],
  };
}

/** The route in the release that is served now. Undefined if that release answers it as usual. */
export async function healingOfRoute(
  project: number,
  route: string,
): Promise<(HealedRoute & { release: string }) | undefined> {
  const status = await consoleApi().healing(project)?.status();
  const found = status?.routes.find((one) => one.route === route && one.state.kind !== "new");
  if (!status || !found) return undefined;
  const issue = (await noticesOf(project, status.name)).get(route)?.number;
  return { ...shownRoute(found, status), issue, release: status.name };
}

interface Notice {
  number: number;
  title: string;
  lastSeen: number;
}

/** The issues that the application has filed about the routes of a release. */
async function noticesOf(project: number, release: string): Promise<Map<string, Notice>> {
  const api = consoleApi();
  const { rows } = await api.issues({
    project,
    filter: `type:ReleaseNotice first-release:${JSON.stringify(release)}`,
    sort: "last-seen",
    limit: issuesRead,
    period: lastDays(1, api.now()),
  });
  return new Map(rows.flatMap((issue) => (issue.route === undefined ? [] : [[issue.route, issue] as const])).reverse());
}

function shownRoute({ route, on, state }: RouteStatus, status: Status | undefined): Omit<HealedRoute, "issue"> {
  const healed = { route, on, choices: ["before", "new"] as const };
  switch (state.kind) {
    case "healed": {
      const untilNext = state.triedAt === undefined ? " It stays until the next release: actions run once." : "";
      const why = failuresOf(state.cause, status) + untilNext;
      return { ...healed, state: "healed", since: state.cause.since, why, triedAt: state.triedAt };
    }
    case "trial":
      return { ...healed, state: "trial", since: state.cause.since, why: failuresOf(state.cause, status) };
    case "pinned":
      return { ...healed, state: "pinned", since: state.since, why: "An operator has chosen.", choices: ["unpin"] };
    case "not-healed": {
      const why = `${failuresOf(state.cause, status)} Not healed: ${state.why}.`;
      const word = status?.never === undefined ? "not healed" : "warned";
      return { ...healed, state: word, since: state.cause.since, why, choices: [] };
    }
    case "new":
      return { ...healed, state: "returned", since: 0, why: "", choices: [] };
  }
}

function reportedRoute(route: string, { number, title, lastSeen }: Notice, on: string | undefined): HealedRoute {
  const known = { route, on, since: lastSeen, issue: number, choices: [] };
  if (on === undefined) return { ...known, state: "reported", why: `${title}.` };
  return { ...known, state: "returned", why: "It has failed, and works again." };
}

/** What was counted on both builds when the route was judged. */
function failuresOf(cause: Cause, status: Status | undefined): string {
  if (cause.new.requests === 0) return "Another process has found it.";
  const before = `${grouped(Math.round(cause.before.failures))} of ${grouped(Math.round(cause.before.requests))}`;
  const now = `${grouped(cause.new.failures)} of ${many(cause.new.requests, "request")} failed`;
  return `${now}, ${before} on ${status?.before ?? "the build before"}.`;
}

/** Does what the pressed button of a route says. */
export async function pinByForm(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "member");
  const healing = consoleApi().healing(scope.project.id) ?? notFound();
  const route = textIn(form, "route");
  const wish = textIn(form, "do");
  if (wish !== "new" && wish !== "before" && wish !== "unpin")
    invalid({ "": `There is nothing called "${wish}" to do.` });
  const to = wish === "unpin" ? undefined : wish;
  const pinned = await healing.pin({ route, to, by: scope.person.name });
  if (pinned.kind === "refused") return invalid({ "": pinned.why });
  if (to === undefined) return { said: `The server decides again which build answers ${route}.` };
  return { said: `The ${to === "new" ? "new build" : "build before"} answers ${route}, until it is unpinned.` };
}
