import { addTallies, noRequests, type Tally } from "./evidence.ts";
import {
  answersOf,
  type HealingRecord,
  isTried,
  newRoute,
  type RouteEvent,
  type RouteNotice,
  stepRoute,
} from "./healing-record.ts";
import type { HealingLimits } from "./limits.ts";
import type { ReleaseNote } from "./release-folder.ts";
import type { CountedRoute, KeptBuild, RouteDecision, RoutePin } from "./release-messages.ts";

export interface JudgeDeps {
  /** Continued if the release was served before. */
  note: ReleaseNote;
  before: KeptBuild | undefined;
  /** Counts of the release before, by route. */
  baseline: Readonly<Record<string, Tally>>;
  /** Why no route of this release is healed, if so. */
  never: string | undefined;
  limits: HealingLimits;
  now: () => number;
  /** Called when another build answers a route, or when the new one is tried. */
  onRoutes: () => void;
  onChange: (decision: RouteDecision, notice: RouteNotice) => void;
}

/** Decides for all routes of one release which build answers them. */
export class RouteJudge {
  readonly note: ReleaseNote;
  readonly before: KeptBuild | undefined;
  readonly #deps: JudgeDeps;
  /** Whether the note has changed since it was last written. */
  isChanged = true;

  constructor(deps: JudgeDeps) {
    this.note = deps.note;
    this.before = deps.before;
    this.#deps = deps;
  }

  /** Routes that the build before answers. */
  get healed(): { route: string; isTried: boolean }[] {
    return Object.entries(this.note.routes)
      .filter(([, record]) => answersOf(record) === "before")
      .map(([route, record]) => ({ route, isTried: isTried(record) }));
  }

  count({ route, on, tally, triable }: CountedRoute): void {
    if (on === "new") this.#remember(route, tally);
    this.#happen(route, { kind: "counted", on, tally, triable });
  }

  unusable(route: string, why: string): void {
    this.#happen(route, { kind: "unusable", why });
  }

  adopt({ route, ...decided }: RouteDecision): void {
    this.#happen(route, { kind: "decided", ...decided });
  }

  /** Another process of this machine has written its decisions. */
  adoptAll(routes: ReleaseNote["routes"]): void {
    for (const [route, record] of Object.entries(routes))
      if (record.pin === undefined) this.adopt(decisionOf(route, record));
  }

  /** Time has passed, and an operator may have chosen. */
  look(pins: Readonly<Record<string, RoutePin>>): void {
    for (const route of new Set([...Object.keys(this.note.routes), ...Object.keys(pins)])) {
      const pin = pins[route]?.to;
      const { pin: current } = this.note.routes[route] ?? newRoute;
      if (pin !== current) this.#happen(route, pin ? { kind: "pinned", to: pin } : { kind: "unpinned" });
      else this.#happen(route, { kind: "time" });
    }
  }

  #remember(route: string, tally: Tally): void {
    const sum = addTallies(this.note.counts[route] ?? noRequests, tally);
    const share = sum.requests > this.#deps.limits.rememberedRequests ? 0.5 : 1;
    this.note.counts[route] = { requests: sum.requests * share, failures: sum.failures * share };
    this.isChanged = true;
  }

  #happen(route: string, event: RouteEvent): void {
    const record = this.note.routes[route] ?? newRoute;
    const { baseline, never, limits, now } = this.#deps;
    const rules = { baseline: baseline[route] ?? noRequests, never, limits };
    const step = stepRoute(record, event, now(), rules);
    if (step.record === record) return;
    this.note.routes[route] = step.record;
    this.isChanged = true;
    const isMoved = answersOf(step.record) !== answersOf(record) || isTried(step.record) !== isTried(record);
    if (isMoved) this.#deps.onRoutes();
    if (step.notice) this.#deps.onChange(decisionOf(route, step.record), step.notice);
  }
}

function decisionOf(route: string, record: HealingRecord): RouteDecision {
  const heals = record.at === "kept" ? 0 : record.heals;
  const cause = record.at === "new" ? undefined : record.cause;
  return { route, answers: answersOf(record), heals, cause };
}
