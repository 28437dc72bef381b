import type { FiledItem } from "./filed.ts";
import { readFilter } from "./filter-language.ts";
import type { EventSummary, FeedbackRecord, HistoryEntry, IssueRecord, LiveRecord, SessionRecord } from "./records.ts";
import type { Store } from "./store.ts";
import type { BothWaysQuery } from "./store-requests.ts";

const filters = [
  "",
  "is:open",
  "is:resolved",
  "is:regressed",
  "is:muted",
  "release:1.*",
  "-release:2.*",
  "first-release:1.0*",
  "resolved-in:2.0.0",
  "regressed-in:2*",
  "route:/cart*",
  "environment:staging",
  "order:1*",
  "level:warning",
  "user:*",
  "assigned:ada",
  "assigned:none",
  "cart.ts",
  "GRÖSSE",
  "grö",
  "-total1",
  '"of the cart"',
  "problem 3",
];

const sorts = ["last-seen", "first-seen", "events", "visitors"] as const;

/**
 * Every answer of a store, such that two stores with the same content give the same: ids that a store makes up are
 * replaced by what people see, and lists without an order of their own are sorted.
 */
export async function answersOf(store: Store, items: readonly FiledItem[]): Promise<Readonly<Record<string, unknown>>> {
  const times = items.map(({ receivedAt }) => receivedAt);
  const period = { from: Math.min(...times) - 864e5, to: Math.max(...times) + 864e5 };
  const answers: Record<string, unknown> = {};
  for (const project of [1, 2]) {
    const asked = new Asked(store, project, period);
    const all = {
      ...(await asked.lists()),
      ...(await asked.issues()),
      ...(await asked.events(items)),
      ...(await asked.pages()),
      ...(await asked.live(items)),
    };
    for (const [question, answer] of Object.entries(all)) answers[`project ${project}: ${question}`] = answer;
  }
  answers.partitions = (await store.partitions()).map(({ name, from, to, isLater }) => ({ name, from, to, isLater }));
  answers.wrong = await store.check();
  return answers;
}

class Asked {
  readonly #store: Store;
  readonly #project: number;
  readonly #period: { from: number; to: number };
  readonly #numbers = new Map<number, number>();

  constructor(store: Store, project: number, period: { from: number; to: number }) {
    this.#store = store;
    this.#project = project;
    this.#period = period;
  }

  async lists(): Promise<object> {
    const all = await this.#all("", "first-seen");
    for (const { id, number } of all) this.#numbers.set(id, number);
    for (let number = 1; number < 200; number += 1) {
      const issue = await this.#store.issue(this.#project, { number });
      if (issue !== undefined) this.#numbers.set(issue.id, number);
    }
    const lists: Record<string, unknown> = {};
    for (const filter of filters)
      lists[`list ${filter}`] = {
        found: (await this.#all(filter, "last-seen")).map(({ number }) => number).sort((a, b) => a - b),
        count: await this.#store.countIssues(this.#project, readFilter(filter), 1_000),
      };
    for (const sort of sorts)
      lists[`sorted by ${sort}`] = (await this.#all("", sort)).map((issue) => this.#issue(issue)).map(sortValue(sort));
    return { ...lists, all: sorted(all.map((issue) => this.#issue(issue))) };
  }

  async issues(): Promise<object> {
    const of: Record<string, unknown> = {};
    const [store, project] = [this.#store, this.#project];
    for (const [id, number] of this.#numbers) {
      const series = async (step: "hour" | "day") =>
        (await store.series({ project, issues: [id], step, ...this.#period })).get(id);
      of[`issue ${number}`] = {
        record: this.#issue((await store.issue(project, { id })) as IssueRecord),
        history: (await store.history(project, id)).map((entry) => this.#history(entry)),
        groups: sorted(
          (await store.groupsOf(project, id)).map(({ id: _, issue, ...rest }) => ({
            ...rest,
            issue: this.#numbers.get(issue),
          })),
        ),
        hours: await series("hour"),
        days: await series("day"),
        tags: sorted(await store.tagsOf(project, id)),
        releases: sorted(await store.releasesOf(project, id)),
        events: (await store.eventsOf(project, id, { limit: 50 })).map((event) => this.#event(event)),
        visitors: await store.issueVisitors({
          project,
          issue: id,
          among: 10_000,
          sort: "last",
          from: 0,
          limit: 10_000,
        }),
      };
    }
    return of;
  }

  async events(items: readonly FiledItem[]): Promise<object> {
    const found: unknown[] = [];
    const ids = items.flatMap((item) => (item.kind === "event" ? [item.eventId, item.otherId ?? item.eventId] : []));
    // Every seventh: each is a question, and they are many.
    for (const id of [...new Set(ids)].filter((_, n) => n % 7 === 0)) {
      const event = await this.#store.event(this.#project, id.slice(0, 15));
      if (event === undefined) continue;
      const { body, ...summary } = event;
      found.push({
        ...this.#event(summary),
        body,
        neighbours: await this.#store.neighbours(event),
        attachments: await this.#attachments(id),
        feedback: withoutIds(await this.#store.feedback(this.#project, { eventIds: [id] })),
      });
    }
    const listed = await this.#store.feedbackList({ project: this.#project, archived: false, limit: 500 });
    return { found, feedback: withoutIds(await this.#store.feedback(this.#project)), listed: withoutIds(listed) };
  }

  /** Without their ids, which each store gives in its own way. */
  async #attachments(eventId: string): Promise<object[]> {
    const found: object[] = [];
    for (const { id, ...rest } of await this.#store.attachmentsOf(this.#project, eventId)) {
      const whole = await this.#store.attachment(this.#project, eventId, id);
      found.push({ ...rest, text: Buffer.from(whole?.bytes ?? []).toString() });
    }
    return found;
  }

  async #bothWays(query: BothWaysQuery): Promise<object> {
    const { byRoute, byStep } = await this.#store.measuresBothWays(query);
    return { byRoute: plain(byRoute), byStep: plain(byStep) };
  }

  async pages(): Promise<object> {
    const [store, project, { from, to }] = [this.#store, this.#project, this.#period];
    const names = await store.releaseNames(project);
    const steps: Record<string, unknown> = {};
    for (const step of ["hour", "day"] as const)
      steps[step] = {
        measures: sorted(
          (await store.measures({ project, step, from, to })).map(({ sketches, ...key }) => ({
            ...key,
            sketches: plain(sketches),
          })),
        ),
        byRoute: plain(await store.measuresByRoute({ project, step, from, to })),
        bothWays: await this.#bothWays({ project, step, from, to, ofSteps: ["request", "lcp", "own"] }),
        counts: sorted(await store.counts({ project, step, from, to })),
        own: sorted(await store.counts({ project, step, from, to, name: "own.count" })),
      };
    for (const step of ["hour", "day"] as const) {
      const counters = ["own.count", "holdfast.errors", "nothing"];
      const { measures, counts } = await store.routeSteps({ project, route: "/cart", step, from, to, counters });
      steps[`${step} of a route`] = {
        measures: measures.map(({ at, sketches }) => ({ at, sketches: plain(sketches) })),
        counts: sorted(counts),
      };
    }
    const ofReleases: unknown[] = [];
    for (const name of names.toSorted())
      ofReleases.push(
        name,
        plain(await store.releaseMeasures(project, name)),
        await store.releaseChunks(project, name),
      );
    return {
      steps,
      releases: sorted(await store.releases(project)),
      ofReleases,
      chunks: plain(await store.chunkCounts(project)),
      sessions: sorted((await store.sessions(project, from, to)).filter(isCounted)),
      traffic: {
        quarters: await store.traffic({ project, step: "quarter", from, to }),
        hours: await store.traffic({ project, step: "hour", from, to }),
        days: await store.traffic({ project, step: "day", from, to }),
        affected: (await store.affected(project, from, to)).map(({ at, visitors }) => ({
          at,
          visitors: [...visitors],
        })),
      },
      monitors: await store.monitors(project),
      discards: sorted(await store.discards(project, from, to)),
      tags: [await store.hasTag(project, "order"), await store.hasTag(project, "nothing")],
    };
  }

  async live(items: readonly FiledItem[]): Promise<object> {
    const [store, project, { from, to }] = [this.#store, this.#project, this.#period];
    const traces = new Set(items.flatMap((item) => (item.kind === "spans" ? [item.traceId] : [])));
    const visitors = new Set(
      items.flatMap((item) => (item.kind === "event" ? [item.visitor ?? item.session ?? 0] : [])),
    );
    const ofTraces: unknown[] = [];
    for (const traceId of [...traces].slice(0, 60)) {
      const { events, segments, ...trace } = await store.trace(project, traceId);
      ofTraces.push({
        ...trace,
        segments: sorted(segments),
        events: sorted(events.map((event) => this.#event(event))),
      });
      ofTraces.push(await store.hasTrace(project, traceId));
    }
    const trails: unknown[] = [];
    for (const visitor of [...visitors].slice(0, 40))
      trails.push(sorted((await store.trail({ project, visitor, from, to })).map((record) => this.#live(record))));
    const histories: unknown[] = [];
    for (const visitor of [...visitors].slice(0, 40)) {
      const { events, segments, ...rest } = await store.visitorHistory({ project, visitor, limit: 5 });
      const bodies = events.map(({ body, ...event }) => ({ ...this.#event(event), body }));
      histories.push({ ...rest, events: sorted(bodies), segments: sorted(segments) });
      histories.push(sorted(await store.visitorsKnownAs(project, 2_000_000 + visitor)));
      histories.push(await store.visitorsKnownAs(project, visitor));
    }
    const route = { project, route: "/cart", from, to, limit: 10_000 };
    // Each store numbers its blocks in its own way.
    const linesOf = async (filter: string) => {
      const query = { project, from, to, filter: readFilter(filter), limit: 10_000, mostLines: 100_000 };
      return sorted((await store.logs(query)).lines.map(({ place: _, ...line }) => line));
    };
    return {
      ofTraces,
      trails,
      histories,
      segments: sorted(await store.segments(route)),
      slow: sorted(await store.segments({ ...route, kind: "pageload", minMs: 300, maxMs: 600 })),
      logs: await linesOf(""),
      errors: await linesOf("order lost level:error"),
      recent: (await store.recent({ project, limit: 30 })).map((record) => this.#live(record)),
      // SQLite looks week by week and stops at the week with enough: so many are in the newest.
      visitors: await store.recentVisitors(project, 3),
    };
  }

  async #all(filter: string, sort: (typeof sorts)[number]): Promise<readonly IssueRecord[]> {
    const query = { project: this.#project, filter: readFilter(filter), sort, limit: 7 };
    const found: IssueRecord[] = [];
    let page = await this.#store.issues(query);
    for (;;) {
      found.push(...page.issues);
      if (page.next === undefined) return found;
      page = await this.#store.issues({ ...query, after: page.next });
    }
  }

  #issue({ id: _, mergedInto, ...issue }: IssueRecord): Omit<IssueRecord, "id"> {
    return { ...issue, mergedInto: mergedInto === undefined ? undefined : this.#numbers.get(mergedInto) };
  }

  #event({ rowId: _, issue, ...event }: EventSummary): object {
    return { ...event, issue: this.#numbers.get(issue) };
  }

  #live({ rowId: _, ...record }: LiveRecord): object {
    return "issue" in record ? { ...record, issue: this.#numbers.get(record.issue) } : record;
  }

  #history({ what, ...entry }: HistoryEntry): object {
    if (what.kind !== "merged" && what.kind !== "split" && what.kind !== "mentioned") return { ...entry, what };
    return { ...entry, what: { kind: what.kind, issue: this.#numbers.get(what.issue) } };
  }
}

/** An update that says nothing new may leave a row without counts. */
function isCounted({ started, errored, crashed, abnormal }: SessionRecord): boolean {
  return started + errored + crashed + abnormal > 0;
}

/** Lists that are sorted by a value may have equals in any order. */
function sortValue(sort: (typeof sorts)[number]): (issue: Omit<IssueRecord, "id">) => number {
  return ({ lastSeen, firstSeen, events, visitors }) =>
    ({ "last-seen": lastSeen, "first-seen": firstSeen, events, visitors })[sort];
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list
    .map((value) => [JSON.stringify(value), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
}

function plain(map: ReadonlyMap<unknown, unknown>): readonly unknown[] {
  return sorted([...map].map(([key, value]) => [key, value instanceof Map ? plain(value) : value]));
}

/** Files items batch by batch, and lets people do something to issues in between; the same in every store. */
export async function liveThrough(
  store: Store,
  batches: readonly { upTo: number; items: readonly FiledItem[] }[],
): Promise<void> {
  for (const [n, batch] of batches.entries()) {
    await store.commit(batch);
    await store.settled();
    await actBetween(store, n, batch.items.at(-1)?.receivedAt ?? 0);
  }
}

const acts = [
  { kind: "resolve", in: "next-release" },
  { kind: "mute", until: { kind: "events", more: 5 } },
  { kind: "assign", to: "ada" },
  { kind: "resolve", in: "now" },
  { kind: "comment", text: "seen, as #1 and #2" },
  { kind: "mute", until: { kind: "visitors", more: 3 } },
] as const;

async function actBetween(store: Store, n: number, at: number): Promise<void> {
  const idOf = async (number: number): Promise<number> => (await store.issue(1, { number }))?.id ?? 0;
  const change = acts[n % acts.length];
  if (change === undefined) return;
  await store.change({ project: 1, issues: [await idOf(1 + (n % 9)), await idOf(2 + n)], change, by: "kim", at });
  if (n === 4)
    await store.change({
      project: 1,
      issues: [await idOf(3)],
      change: { kind: "merge", into: await idOf(5) },
      by: "kim",
      at,
    });
  if (n === 9) await store.change({ project: 1, issues: [await idOf(5)], change: { kind: "split" }, by: "kim", at });
  await store.wake(at);
}

/** Each store gives ids in its own way, and orders by them what happened at the same time. */
function withoutIds(records: readonly FeedbackRecord[]): readonly unknown[] {
  return sorted(records.map(({ id: _, ...record }) => record));
}
