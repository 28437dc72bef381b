import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { everyIssue } from "../stores/filter-language.ts";
import { type EventKey, lastingTables, type MovedPart, type MoveReader } from "../stores/moved-rows.ts";
import type { StoreReader } from "../stores/store.ts";
import { byOwner, digestsOf, ownersIn } from "./copy-store.ts";

/** One of the two stores of a move: its rows, and its answers. */
export interface VerifiedStore {
  readonly rows: MoveReader;
  readonly answers: StoreReader;
}

export interface Verification {
  readonly events: number;
  readonly bodies: number;
  readonly answers: number;
  /** What differs, in sentences. Empty if the stores are equal. */
  readonly findings: readonly string[];
  /** Partitions with differences. */
  readonly parts: ReadonlySet<string>;
}

/** One of so many events is opened in both stores. Its id decides, so that it is the same one each time. */
const bodyEvery = 100;
const idsAtOnce = 10_000;
// More of the same says nothing new.
const findingsOfAKind = 10;
// In the year 2096.
const farAhead = 4e12;
/** Issues of each project and list whose details are compared. */
const issuesOfAList = 20;

/**
 * Compares two stores. Nothing may be filed into either meanwhile. Events in `opened` are not opened again: what is
 * stored of an event never changes.
 */
export async function verifyMove(
  source: VerifiedStore,
  target: VerifiedStore,
  opened: ReadonlySet<string> = new Set(),
): Promise<Verification> {
  const check = new MoveCheck(source, target, opened);
  await check.parts();
  await check.lasting();
  await check.answers();
  return check.result();
}

/** Opens the same events as `verifyMove`, and returns those that are equal. Both stores may grow meanwhile. */
export async function openEvents(source: VerifiedStore, target: VerifiedStore): Promise<ReadonlySet<string>> {
  const equal = new Set<string>();
  for (const part of await source.rows.parts())
    for await (const event of eventsIn(source, part)) {
      if (!isOpened(event)) continue;
      const [here, there] = [await eventOf(source, event), await eventOf(target, event)];
      if (isDeepStrictEqual(here, there)) equal.add(keyOf(event));
    }
  return equal;
}

class MoveCheck {
  readonly #source: VerifiedStore;
  readonly #target: VerifiedStore;
  readonly #opened: ReadonlySet<string>;
  readonly #findings: string[] = [];
  readonly #different = new Set<string>();
  readonly #projects = new Set<number>();
  #events = 0;
  #bodies = 0;
  #answers = 0;

  constructor(source: VerifiedStore, target: VerifiedStore, opened: ReadonlySet<string>) {
    this.#source = source;
    this.#target = target;
    this.#opened = opened;
  }

  result(): Verification {
    return {
      events: this.#events,
      bodies: this.#bodies,
      answers: this.#answers,
      findings: this.#findings,
      parts: this.#different,
    };
  }

  /** Amounts of every kind, events of each group, and every id of an event. */
  async parts(): Promise<void> {
    const parts = await this.#source.rows.parts();
    this.#expectEqual("The lists of partitions", parts, await this.#target.rows.parts());
    for (const part of parts) {
      const findings = [...(await this.#amounts(part)), ...(await this.#eventIds(part))];
      this.#add(findings.map((finding) => `${part.name}: ${finding}`));
      if (findings.length > 0) this.#different.add(part.name);
    }
  }

  async #amounts(part: MovedPart): Promise<string[]> {
    const [here, there] = [await this.#source.rows.amounts(part), await this.#target.rows.amounts(part)];
    return [...new Set([...here.keys(), ...there.keys()])].flatMap((what) => {
      const [from, to] = [here.get(what) ?? 0, there.get(what) ?? 0];
      return from === to ? [] : [`${from} ${what} were copied as ${to}.`];
    });
  }

  async #eventIds(part: MovedPart): Promise<string[]> {
    const [here, there] = [
      await this.#digest(this.#source, part, (event) => this.#open(event)),
      await this.#digest(this.#target, part),
    ];
    return [...new Set([...here.keys(), ...there.keys()])].flatMap((project) =>
      here.get(project) === there.get(project) ? [] : [`The events of project ${project} have other ids.`],
    );
  }

  /** A checksum over all ids of events, by project. */
  async #digest(
    store: VerifiedStore,
    part: MovedPart,
    onEvent?: (event: EventKey) => Promise<void>,
  ): Promise<ReadonlyMap<number, string>> {
    const hashes = new Map<number, ReturnType<typeof createHash>>();
    for await (const event of eventsIn(store, part)) {
      const hash = hashes.get(event.project) ?? createHash("sha256");
      hashes.set(event.project, hash.update(event.eventId));
      await onEvent?.(event);
    }
    for (const project of hashes.keys()) this.#projects.add(project);
    return new Map([...hashes].map(([project, hash]) => [project, hash.digest("hex")]));
  }

  async #open(event: EventKey): Promise<void> {
    this.#events += 1;
    if (!isOpened(event)) return;
    this.#bodies += 1;
    if (!this.#opened.has(keyOf(event))) await this.#ask(`event ${event.eventId}`, (store) => eventOf(store, event));
  }

  /** Every row that outlives the partitions. */
  async lasting(): Promise<void> {
    for (const table of lastingTables) {
      let different = 0;
      for await (const { range, owners } of ownersIn(this.#source.rows, table)) {
        const here = digestsOf(owners);
        const there = digestsOf(byOwner(table, await this.#target.rows.lasting(table, range)));
        for (const key of new Set([...here.keys(), ...there.keys()]))
          if (here.get(key)?.digest !== there.get(key)?.digest) different += 1;
      }
      if (different > 0) this.#findings.push(`The table ${table.name} differs in ${different} places.`);
    }
  }

  /** What the console asks, for the first issues of each list. */
  async answers(): Promise<void> {
    for (const project of this.#projects) {
      const issues = new Set<number>();
      for (const sort of ["stuck", "last-seen", "first-seen", "events", "visitors"] as const) {
        const list = await this.#ask(`issues by ${sort}`, async ({ answers }) => {
          const page = await answers.issues({ project, filter: everyIssue, sort, limit: issuesOfAList });
          return page.issues;
        });
        for (const { id } of list) issues.add(id);
      }
      for (const id of issues) await this.#issue(project, id);
      await this.#lists(project);
    }
  }

  async #issue(project: number, id: number): Promise<void> {
    await this.#ask(`history of issue ${id}`, ({ answers }) => answers.history(project, id));
    await this.#ask(`groups of issue ${id}`, async ({ answers }) =>
      (await answers.groupsOf(project, id)).toSorted((a, b) => a.id - b.id),
    );
    await this.#ask(`tags of issue ${id}`, async ({ answers }) => sorted(await answers.tagsOf(project, id)));
    await this.#ask(`releases of issue ${id}`, async ({ answers }) => sorted(await answers.releasesOf(project, id)));
    await this.#ask(`events of issue ${id}`, ({ answers }) => answers.eventsOf(project, id, { limit: 20 }));
  }

  async #lists(project: number): Promise<void> {
    const everything = { from: 0, to: farAhead };
    await this.#ask("releases", async ({ answers }) => sorted(await answers.releases(project)));
    await this.#ask("monitors", async ({ answers }) => sorted(await answers.monitors(project)));
    await this.#ask("feedback", async ({ answers }) => sorted(await answers.feedback(project)));
    await this.#ask("sessions", async ({ answers }) =>
      sorted(await answers.sessions(project, everything.from, everything.to)),
    );
    await this.#ask("traffic", ({ answers }) => answers.traffic({ project, step: "day", ...everything }));
    await this.#ask("visitors with an error", async ({ answers }) =>
      (await answers.affected(project, everything.from, everything.to)).map(({ at, visitors }) => [at, [...visitors]]),
    );
    await this.#ask("discards", async ({ answers }) =>
      sorted(await answers.discards(project, everything.from, everything.to)),
    );
    await this.#ask("counts", async ({ answers }) =>
      sorted(await answers.counts({ project, step: "day", ...everything })),
    );
  }

  async #ask<Answer>(question: string, answerOf: (store: VerifiedStore) => Promise<Answer>): Promise<Answer> {
    this.#answers += 1;
    const [here, there] = [await answerOf(this.#source), await answerOf(this.#target)];
    this.#expectEqual(`The answers about ${question}`, here, there);
    return here;
  }

  #expectEqual(what: string, here: unknown, there: unknown): void {
    if (!isDeepStrictEqual(plain(here), plain(there))) this.#add([`${what} differ.`]);
  }

  #add(findings: readonly string[]): void {
    this.#findings.push(...findings.slice(0, findingsOfAKind));
    const more = findings.length - findingsOfAKind;
    if (more > 0) this.#findings.push(`${more} more are different.`);
  }
}

async function* eventsIn({ rows }: VerifiedStore, part: MovedPart): AsyncGenerator<EventKey> {
  for (let after: EventKey | undefined; ; ) {
    const events = await rows.eventIds(part, after, idsAtOnce);
    yield* events;
    if (events.length < idsAtOnce) return;
    after = events.at(-1);
  }
}

function isOpened({ eventId }: EventKey): boolean {
  return Number.parseInt(eventId.slice(-6), 16) % bodyEvery === 0;
}

async function eventOf({ answers }: VerifiedStore, { project, eventId }: EventKey): Promise<unknown> {
  return plain(await answers.event(project, eventId));
}

function keyOf({ project, eventId }: EventKey): string {
  return `${project} ${eventId}`;
}

/** Without prototypes of drivers, and without fields that are undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

function sorted<Value>(list: readonly Value[]): readonly Value[] {
  return list
    .map((value) => [JSON.stringify(value), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
}
