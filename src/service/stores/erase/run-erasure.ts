import type { StoreReader } from "../store.ts";
import {
  addErased,
  type ErasableKind,
  type ErasureCounts,
  type ErasureMark,
  type ErasureMatch,
  type ErasureOutcome,
  type ErasureStep,
  erasableKinds,
  nothingErased,
} from "./erasure.ts";
import { eventMark } from "./matcher.ts";

export interface ErasureLimits {
  /** Rows that are looked at in one turn, in about 10 ms. */
  readonly rowsAtOnce: number;
  /** Rows that are deleted in one turn of the writer. Filing waits for about 20 ms. */
  readonly deletedAtOnce: number;
  /** How often the identities of a visitor lead to others: an e-mail address to an id, an id to a visit. */
  readonly rounds: number;
  /** A reader that copies the whole store, such as a backup, keeps old bytes in the log. So often is it waited for. */
  readonly waits: number;
  readonly waitMs: number;
}

export const erasureLimits: ErasureLimits = {
  rowsAtOnce: 500,
  deletedAtOnce: 200,
  rounds: 4,
  waits: 600,
  waitMs: 1_000,
};

export interface ErasureDeps {
  readonly store: Pick<StoreReader, "erasable" | "partitions">;
  /** The writer. */
  readonly erase: (step: ErasureStep) => Promise<ErasureOutcome>;
  readonly now: () => number;
  readonly limits?: Partial<ErasureLimits>;
  /** Called after each turn. */
  readonly onProgress?: (removed: ErasureCounts) => void;
}

export interface ErasurePlan {
  readonly project: number;
  /** With everything that the identities have led to. */
  readonly match: ErasureMatch;
  /** Of the rows. */
  readonly counts: ErasureCounts;
  readonly eventsOfGroups: ReadonlyMap<number, number>;
  readonly rows: readonly RowsOfPart[];
}

interface RowsOfPart {
  readonly part: string;
  readonly kind: ErasableKind;
  readonly ids: readonly number[];
}

/** Finds everything that an erasure would delete. Changes nothing. */
export async function planErasure(
  { store, limits }: Pick<ErasureDeps, "store" | "limits">,
  project: number,
  wanted: ErasureMatch,
): Promise<ErasurePlan> {
  const { rounds, rowsAtOnce } = { ...erasureLimits, ...limits };
  let plan: ErasurePlan = { project, match: wanted, counts: nothingErased, eventsOfGroups: new Map(), rows: [] };
  for (let round = 0; round < rounds; round += 1) {
    const search = { store, project, match: plan.match, rowsAtOnce };
    const next = await searchOnce(search);
    const isComplete = sizeOf(next.match) === sizeOf(plan.match);
    plan = next;
    if (isComplete) break;
  }
  return plan;
}

function sizeOf({ traces, visitors, mentions }: ErasureMatch): number {
  return traces.length + visitors.length + mentions.length;
}

interface Search {
  readonly store: ErasureDeps["store"];
  readonly project: number;
  readonly match: ErasureMatch;
  readonly rowsAtOnce: number;
}

async function searchOnce({ store, project, match, rowsAtOnce }: Search): Promise<ErasurePlan> {
  const rows: RowsOfPart[] = [];
  const linked = {
    eventIds: new Set(match.eventIds),
    traces: new Set(match.traces),
    visitors: new Set(match.visitors),
    mentions: new Set(match.mentions),
  };
  const eventsOfGroups = new Map<number, number>();
  let counts = nothingErased;
  for (const { name: part } of await store.partitions()) {
    for (const kind of erasableKinds) {
      let after: number | undefined = Number.MIN_SAFE_INTEGER;
      while (after !== undefined) {
        const page = await store.erasable({ project, part, kind, after, limit: rowsAtOnce, match });
        if (page.ids.length > 0) rows.push({ part, kind, ids: page.ids });
        counts = addErased(counts, page.counts);
        for (const id of page.eventIds) linked.eventIds.add(id);
        for (const [group, n] of page.eventsOfGroups) eventsOfGroups.set(group, (eventsOfGroups.get(group) ?? 0) + n);
        for (const trace of page.linked.traces) linked.traces.add(trace);
        for (const visitor of page.linked.visitors) linked.visitors.add(visitor);
        for (const mention of page.linked.mentions) linked.mentions.add(mention);
        after = page.next;
        await breathe();
      }
    }
  }
  return {
    project,
    match: {
      ...match,
      eventIds: [...linked.eventIds],
      traces: [...linked.traces],
      visitors: [...linked.visitors],
      mentions: [...linked.mentions],
    },
    counts,
    eventsOfGroups,
    rows,
  };
}

/** Counts everything that an erasure would delete. Changes nothing. */
export async function foreseeErasure(
  { store }: { store: Pick<StoreReader, "erasable" | "erasableLasting" | "partitions"> },
  project: number,
  wanted: ErasureMatch,
): Promise<ErasureCounts> {
  const { match, counts, eventsOfGroups } = await planErasure({ store }, project, wanted);
  return addErased(counts, await store.erasableLasting({ project, match, eventsOfGroups }));
}

/** A store in files is read in this thread, which may answer requests. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Erases what matches, in turns between which the writer files. What arrives later is dropped by the marks, which are
 * written first. Repeating it after a crash finishes it.
 */
export async function runErasure(deps: ErasureDeps, project: number, wanted: ErasureMatch): Promise<ErasureCounts> {
  const { limits } = deps;
  const { deletedAtOnce, waits, waitMs } = { ...erasureLimits, ...limits };
  let removed = nothingErased;
  const repeat = async (step: ErasureStep, pauseMs = 0): Promise<void> => {
    for (let turn = 0; turn < waits; turn += 1) {
      const { counts, isUnfinished } = await deps.erase(step);
      removed = addErased(removed, counts);
      deps.onProgress?.(removed);
      if (!isUnfinished) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const { match } = await planErasure(deps, project, wanted);
  await repeat({ kind: "remember", marks: marksOf(project, wanted, match, deps.now()), groups: wanted.groups });
  // Again, because more may have been filed before the marks were written.
  const plan = await planErasure(deps, project, match);
  for (const { part, kind, ids } of plan.rows)
    for (let from = 0; from < ids.length; from += deletedAtOnce) {
      const rows = { project, part, kind, ids: ids.slice(from, from + deletedAtOnce), match: plan.match };
      await repeat({ kind: "rows", rows });
    }
  await repeat({ kind: "lasting", project, match: plan.match });
  const parts = wanted.all
    ? (await deps.store.partitions()).map(({ name }) => name)
    : plan.rows.map(({ part }) => part);
  await repeat({ kind: "finish", parts: [...new Set(parts)] }, waitMs);
  return removed;
}

/** Events of an issue or a visitor are recognised by its mark, so that a large issue needs few marks. */
function marksOf(project: number, wanted: ErasureMatch, found: ErasureMatch, at: number): readonly ErasureMark[] {
  return [
    ...(wanted.all ? [{ project, kind: "project" as const, hash: 0, at }] : []),
    ...wanted.eventIds.map((id) => ({ project, kind: "event" as const, hash: eventMark(id), at })),
    ...wanted.eventMarks.map((hash) => ({ project, kind: "event" as const, hash, at })),
    ...found.visitors.map((hash) => ({ project, kind: "visitor" as const, hash, at })),
    ...found.mentions.map((hash) => ({ project, kind: "mention" as const, hash, at })),
  ];
}
