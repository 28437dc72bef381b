import { hourMs } from "../../clock.ts";
import type { FiledEvent, FiledIssue } from "../filed.ts";
import { collected } from "../flood.ts";
import { bytesOf, hexOf } from "../values/row-values.ts";
import type { Pool, Queries } from "./connect/connections.ts";
import { assignByRule, type OwnedIssue } from "./issues/assign-by-rule.ts";
import { addHistory } from "./issues/issue-history.ts";
import type { RowIds } from "./row-ids.ts";

// Fingerprints that arrived lately; 20,000 of them take some 3 MB.
const mostCached = 20_000;

/** The group of an event, and the event as its issue shows it. */
export interface Grouped {
  readonly group: number;
  readonly shown: FiledEvent;
  readonly isCollected: boolean;
}

interface NewGroup {
  readonly id: number;
  readonly number: number;
  readonly event: FiledEvent | FiledIssue;
}

/** From fingerprints to groups, and from a new fingerprint to a new issue. */
export class Groups {
  readonly #pool: Pool;
  readonly #ids: RowIds;
  readonly #newPerHour: number;
  readonly #cached = new Map<string, number>();

  constructor(pool: Pool, ids: RowIds, newPerHour: number) {
    this.#pool = pool;
    this.#ids = ids;
    this.#newPerHour = newPerHour;
  }

  /**
   * The group of each event: the first that one of its fingerprints names (newest version first), else a new one. New
   * groups are committed before the batch that needs them: one whose batch never comes has no events and is not listed.
   */
  async of(events: readonly FiledEvent[]): Promise<ReadonlyMap<FiledEvent, Grouped>> {
    const found = new Map<FiledEvent, Grouped>();
    const unknown = events.filter((event) => !this.#addCached(event, found));
    if (unknown.length === 0) return found;
    const known = await findFingerprints(this.#pool, unknown);
    const fresh = unknown.filter(({ project, grouping }) =>
      grouping.some(({ hash }) => !known.has(keyOf(project, hash))),
    );
    const groups = fresh.length === 0 ? new Map<FiledEvent, Grouped>() : await this.#make(fresh);
    for (const event of unknown) {
      const group = groups.get(event) ?? groupedBy(known, event);
      if (group === undefined) continue;
      found.set(event, group);
      if (!group.isCollected) this.#keep(event, group.group);
    }
    return found;
  }

  /** Creates imported issues whose fingerprints are all unknown. No limit: an owner imports them. */
  async addImported(issues: readonly FiledIssue[]): Promise<void> {
    if (issues.length === 0) return;
    await this.#ids.reserve(issues.length + 1);
    await this.#pool.transaction(async (queries) => {
      const projects = [...new Set(issues.map(({ project }) => project))].sort((a, b) => a - b);
      const counters = await lockProjects(queries, projects);
      const maker = new GroupMaker(await findFingerprints(queries, issues), counters, {
        ids: this.#ids,
        newPerHour: Number.POSITIVE_INFINITY,
      });
      const taken = await takenNumbers(queries, issues);
      const made = issues.filter((issue) => maker.addImported(issue, taken));
      await maker.write(queries);
      const groups = await findFingerprints(queries, made);
      for (const { project, grouping, by, receivedAt } of made)
        await addHistory(
          queries,
          groups.get(keyOf(project, grouping[0].hash)) ?? 0,
          { by, at: receivedAt },
          { kind: "imported" },
        );
    });
  }

  forget(): void {
    this.#cached.clear();
  }

  #addCached(event: FiledEvent, found: Map<FiledEvent, Grouped>): boolean {
    const group = this.#cached.get(keyOf(event.project, event.grouping[0].hash));
    if (group !== undefined) found.set(event, { group, shown: event, isCollected: false });
    return group !== undefined;
  }

  #keep({ project, grouping: [{ hash }] }: FiledEvent, group: number): void {
    if (this.#cached.size >= mostCached) this.#cached.clear();
    this.#cached.set(keyOf(project, hash), group);
  }

  async #make(events: readonly FiledEvent[]): Promise<ReadonlyMap<FiledEvent, Grouped>> {
    await this.#ids.reserve(events.length + 1);
    return this.#pool.transaction(async (queries) => {
      const projects = [...new Set(events.map(({ project }) => project))].sort((a, b) => a - b);
      // Who comes second waits here, and then finds what the first has made. Numbers have no gaps.
      const counters = await lockProjects(queries, projects);
      const maker = new GroupMaker(await findFingerprints(queries, events), counters, {
        ids: this.#ids,
        newPerHour: this.#newPerHour,
      });
      const groups = new Map(events.map((event) => [event, maker.groupOf(event)] as const));
      await maker.write(queries);
      return groups;
    });
  }
}

interface ProjectCounter {
  project: number;
  last_issue: number;
  hour: number;
  new_in_hour: number;
}

async function lockProjects(queries: Queries, projects: readonly number[]): Promise<Map<number, ProjectCounter>> {
  await queries.run(
    "INSERT INTO holdfast.project_number (project) SELECT unnest($1::int[]) ON CONFLICT DO NOTHING",
    projects,
  );
  const rows = await queries.all<ProjectCounter>(
    "SELECT * FROM holdfast.project_number WHERE project = ANY ($1) ORDER BY project FOR UPDATE",
    projects,
  );
  return new Map(rows.map((row) => [row.project, row]));
}

/** Decides while the projects are locked, and then writes all at once. */
class GroupMaker {
  readonly #known: Map<string, number>;
  readonly #counters: Map<number, ProjectCounter>;
  readonly #deps: { ids: RowIds; newPerHour: number };
  readonly #made: NewGroup[] = [];
  readonly #links: { project: number; hash: string; group: number }[] = [];

  constructor(
    known: Map<string, number>,
    counters: Map<number, ProjectCounter>,
    deps: { ids: RowIds; newPerHour: number },
  ) {
    this.#known = known;
    this.#counters = counters;
    this.#deps = deps;
  }

  groupOf(event: FiledEvent): Grouped {
    const found = groupedBy(this.#known, event);
    if (found === undefined && !this.#mayCreate(event)) return this.#collect(event);
    const group = found?.group ?? this.#create(event);
    for (const { hash } of event.grouping) this.#link(event.project, hash, group);
    return { group, shown: event, isCollected: false };
  }

  /** Whether it was created. Its number is used if no other issue has it. */
  addImported(issue: FiledIssue, taken: Set<string>): boolean {
    const { project, number } = issue;
    const known = issue.grouping
      .map(({ hash }) => this.#known.get(keyOf(project, hash)))
      .find((id) => id !== undefined);
    const isFree = number !== undefined && !taken.has(`${project} ${number}`);
    const group = known ?? this.#create(issue, isFree ? number : undefined);
    taken.add(`${project} ${number}`);
    for (const { hash } of issue.grouping) this.#link(project, hash, group);
    return known === undefined;
  }

  async write(queries: Queries): Promise<void> {
    await writeGroups(queries, this.#made);
    await queries.run(
      `INSERT INTO holdfast.fingerprint SELECT * FROM unnest($1::int[], $2::bytea[], $3::bigint[]) ON CONFLICT DO NOTHING`,
      this.#links.map(({ project }) => project),
      this.#links.map(({ hash }) => bytesOf(hash)),
      this.#links.map(({ group }) => group),
    );
    for (const { project, last_issue, hour, new_in_hour } of this.#counters.values())
      await queries.run(
        "UPDATE holdfast.project_number SET last_issue = $2, hour = $3, new_in_hour = $4 WHERE project = $1",
        project,
        last_issue,
        hour,
        new_in_hour,
      );
  }

  #mayCreate({ project, receivedAt }: FiledEvent): boolean {
    const counter = this.#counters.get(project);
    const hour = Math.floor(receivedAt / hourMs);
    if (counter === undefined) return false;
    if (counter.hour !== hour) Object.assign(counter, { hour, new_in_hour: 0 });
    if (counter.new_in_hour >= this.#deps.newPerHour) return false;
    counter.new_in_hour += 1;
    return true;
  }

  /** Its fingerprint is its own, so that those of the events stay free. */
  #collect(event: FiledEvent): Grouped {
    const shown = { ...event, ...collected };
    const group = groupedBy(this.#known, shown)?.group ?? this.#create(shown);
    for (const { hash } of shown.grouping) this.#link(event.project, hash, group);
    return { group, shown, isCollected: true };
  }

  #create(event: FiledEvent | FiledIssue, wanted?: number): number {
    const counter = this.#counters.get(event.project);
    if (counter === undefined) throw new Error(`Project ${event.project} is not locked.`);
    const number = wanted ?? counter.last_issue + 1;
    counter.last_issue = Math.max(counter.last_issue, number);
    const id = this.#deps.ids.take();
    this.#made.push({ id, number, event });
    return id;
  }

  #link(project: number, hash: string, group: number): void {
    const key = keyOf(project, hash);
    if (this.#known.has(key)) return;
    this.#known.set(key, group);
    this.#links.push({ project, hash, group });
  }
}

/** A group is born with an issue of the same id; merging leads it to another, splitting back to its own. */
async function writeGroups(queries: Queries, made: readonly NewGroup[]): Promise<void> {
  if (made.length === 0) return;
  const events = made.map(({ event }) => event);
  await queries.run(
    `INSERT INTO holdfast.issue (id, project, number, status, state, type, title, culprit, level, platform, route,
       first_seen, last_seen, events, visitors, first_release, last_release, last_event)
     SELECT id, project, number, 'open', '{"kind":"open"}', type, title, culprit, level, platform, route,
       at, at, 0, 0, release, release, event
     FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::text[], $10::bigint[], $11::text[], $12::uuid[])
       AS u (id, project, number, type, title, culprit, level, platform, route, at, release, event)`,
    made.map(({ id }) => id),
    events.map(({ project }) => project),
    made.map(({ number }) => number),
    events.map(({ title }) => title.type ?? null),
    events.map(({ title }) => title.text),
    events.map(({ title }) => title.culprit ?? null),
    events.map(({ level }) => level),
    events.map(({ platform }) => platform ?? null),
    events.map(({ route }) => route ?? null),
    events.map(({ at }) => at),
    events.map(({ release }) => release ?? null),
    events.map(({ eventId }) => eventId),
  );
  await queries.run(
    `INSERT INTO holdfast.issue_group (id, issue, project, version, rule, parts, first_seen, last_seen)
     SELECT id, id, project, version, rule, parts, at, at
     FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::text[], $6::bigint[])
       AS u (id, project, version, rule, parts, at)`,
    made.map(({ id }) => id),
    events.map(({ project }) => project),
    events.map(({ grouping }) => grouping[0].version),
    events.map(({ grouping }) => grouping[0].reason.rule),
    events.map(({ grouping }) => JSON.stringify(grouping[0].reason.parts)),
    events.map(({ at }) => at),
  );
  await assignByRule(queries, made.flatMap(ownedBy));
}

/** An imported issue has the person that it had. */
function ownedBy({ id, event }: NewGroup): OwnedIssue[] {
  const { receivedAt } = event;
  const found = event.kind === "event" ? event.owner?.() : undefined;
  return found === undefined ? [] : [{ issue: id, owner: found, at: receivedAt }];
}

/** Numbers of issues that exist, or existed before they were erased. */
async function takenNumbers(queries: Queries, issues: readonly FiledIssue[]): Promise<Set<string>> {
  const rows = await queries.all<{ project: number; number: number }>(
    `SELECT u.project, u.number FROM unnest($1::int[], $2::int[]) AS u (project, number)
     WHERE EXISTS (SELECT 1 FROM holdfast.issue i WHERE i.project = u.project AND i.number = u.number)
       OR EXISTS (SELECT 1 FROM holdfast.erased e
         WHERE e.project = u.project AND e.kind = 'number' AND e.hash = u.number)`,
    issues.map(({ project }) => project),
    issues.map(({ number }) => number ?? 0),
  );
  return new Set(rows.map(({ project, number }) => `${project} ${number}`));
}

async function findFingerprints(
  queries: Queries,
  events: readonly Pick<FiledEvent, "project" | "grouping">[],
): Promise<Map<string, number>> {
  const wanted = events.flatMap(({ project, grouping }) => [
    { project, hash: collected.grouping[0].hash },
    ...grouping.map(({ hash }) => ({ project, hash })),
  ]);
  const rows = await queries.all<{ project: number; hash: Uint8Array; grp: number }>(
    `SELECT f.project, f.hash, f.grp FROM (SELECT DISTINCT * FROM unnest($1::int[], $2::bytea[])) AS u (project, hash)
     JOIN holdfast.fingerprint f ON f.project = u.project AND f.hash = u.hash`,
    wanted.map(({ project }) => project),
    wanted.map(({ hash }) => bytesOf(hash)),
  );
  return new Map(rows.map(({ project, hash, grp }) => [keyOf(project, hexOf(hash)), grp]));
}

function groupedBy(known: ReadonlyMap<string, number>, event: FiledEvent): Grouped | undefined {
  for (const { hash } of event.grouping) {
    const group = known.get(keyOf(event.project, hash));
    if (group !== undefined) return { group, shown: event, isCollected: false };
  }
  return undefined;
}

function keyOf(project: number, hash: string): string {
  return `${project} ${hash}`;
}
