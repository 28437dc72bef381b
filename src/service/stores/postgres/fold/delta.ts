import { hourMs } from "../../../clock.ts";
import { mergeSketchSet, packSketches, type SketchSet, unpackSketches } from "../../../sketches/quantile-sketch.ts";
import { mergeVisitors } from "../../../sketches/visitor-count.ts";
import { type BatchSums, GroupSums, type ShownEvent } from "../../batch-sums.ts";
import { pack, unpack } from "../../bodies/packing.ts";
import type { FiledCheckIn, RuleOwner } from "../../filed.ts";

type ValuesOf<Key extends keyof BatchSums> = BatchSums[Key] extends ReadonlyMap<string, infer Value> ? Value[] : never;

/** The sums of a batch as JSON. The next fold reads it, possibly in another process. */
interface Delta {
  events: number;
  groups: GroupDelta[];
  releases: ValuesOf<"releases">;
  sketches: { project: number; hour: number; route: string; packed: string }[];
  releaseSketches: { project: number; release: string; packed: string }[];
  counts: ValuesOf<"counts">;
  sessions: ValuesOf<"sessions">;
  /** Not in those of the version before. */
  traffic?: ValuesOf<"traffic">;
  affected?: { project: number; hour: number; packed: string }[];
  discards: ValuesOf<"discards">;
  checkIns: readonly FiledCheckIn[];
  chunks: ValuesOf<"chunks">;
}

interface GroupDelta {
  group: number;
  events: number;
  firstAt: number;
  last: Omit<ShownEvent, "owner">;
  /** Of the last event, in case the issue is closed. */
  owner?: RuleOwner | undefined;
  hours: { hour: number; environment?: string; release?: string; n: number }[];
  days: { day: number; environment?: string; n: number }[];
  visitors: number[];
  tags: [key: string, values: [value: string, n: number][]][];
  releases: [release: string | null, seen: { firstAt: number; lastAt: number; n: number }][];
  texts: string[];
  stacks: string[];
}

export function packDelta(sums: BatchSums): Uint8Array {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
  const sketch = (set: SketchSet): string => base64(packSketches(set));
  const delta: Delta = {
    events: sums.events,
    groups: [...sums.groups].map(([group, one]) => deltaOfGroup(group, one)),
    releases: [...sums.releases.values()],
    sketches: [...sums.sketches.values()].map(({ set, ...key }) => ({ ...key, packed: sketch(set) })),
    releaseSketches: [...sums.releaseSketches.values()].map(({ set, ...key }) => ({ ...key, packed: sketch(set) })),
    counts: [...sums.counts.values()],
    sessions: [...sums.sessions.values()],
    traffic: [...sums.traffic.values()],
    affected: [...sums.affected.values()].map(({ registers, ...key }) => ({ ...key, packed: base64(registers) })),
    discards: [...sums.discards.values()],
    checkIns: sums.checkIns,
    chunks: [...sums.chunks.values()],
  };
  return pack(Buffer.from(JSON.stringify(delta)));
}

function deltaOfGroup(group: number, sums: GroupSums): GroupDelta {
  const { project, at, receivedAt, eventId, title, level, release, route, searchText } = sums.last;
  return {
    group,
    events: sums.events,
    firstAt: sums.firstAt,
    last: { project, at, receivedAt, eventId, title, level, release, route, searchText },
    owner: sums.last.owner?.(),
    hours: [...sums.hours.values()] as GroupDelta["hours"],
    days: [...sums.days.values()] as GroupDelta["days"],
    visitors: [...sums.visitors],
    tags: [...sums.tags].map(([key, values]) => [key, [...values]]),
    releases: [...sums.releases].map(([name, seen]) => [name ?? null, seen]),
    texts: [...sums.texts],
    stacks: [...sums.stacks],
  };
}

/** Adds a delta to sums. Its checksum says that it is what was written. */
export function addDelta(sums: BatchSums, packed: Uint8Array): void {
  const delta = readDelta(packed);
  sums.events += delta.events;
  for (const group of delta.groups) addGroup(sums, group);
  for (const { project, name, firstAt, lastAt, events } of delta.releases) {
    sums.seeRelease(project, name, firstAt, events);
    sums.seeRelease(project, name, lastAt, 0);
  }
  for (const { packed: set, ...key } of delta.sketches)
    addSketch(sums.sketches, `${key.project} ${key.hour} ${key.route}`, key, set);
  for (const { packed: set, ...key } of delta.releaseSketches)
    addSketch(sums.releaseSketches, `${key.project} ${key.release}`, key, set);
  for (const { project, hour, ...count } of delta.counts) sums.addCount(project, { ...count, at: hour * hourMs });
  for (const { hour, ...session } of delta.sessions) addSessions(sums, session, hour);
  for (const { project, quarter, ...traffic } of delta.traffic ?? []) sums.addTraffic(project, quarter, traffic);
  for (const { project, hour, packed: visitors } of delta.affected ?? [])
    mergeVisitors(sums.affectedIn(project, hour).registers, Buffer.from(visitors, "base64"));
  for (const { project, hour, ...discard } of delta.discards)
    sums.addDiscard(project, { ...discard, at: hour * hourMs });
  sums.checkIns.push(...delta.checkIns);
  for (const chunk of delta.chunks) sums.addChunkSums(chunk);
}

/** The events of each group that wait to be folded. */
export function eventsInDelta(packed: Uint8Array): readonly { group: number; events: number }[] {
  return readDelta(packed).groups.map(({ group, events }) => ({ group, events }));
}

function readDelta(packed: Uint8Array): Delta {
  const content = unpack(packed);
  if (content === undefined) throw new Error("The sums of a batch are damaged in the database.");
  return JSON.parse(content.toString("utf8")) as Delta;
}

function addGroup(sums: BatchSums, delta: GroupDelta): void {
  const known = sums.groups.get(delta.group);
  const { owner } = delta;
  const last: ShownEvent = { ...delta.last, owner: owner && (() => owner) };
  const group = known ?? new GroupSums(last);
  if (known === undefined) sums.groups.set(delta.group, group);
  group.events += delta.events;
  group.firstAt = Math.min(group.firstAt, delta.firstAt);
  if (last.at >= group.last.at) group.last = last;
  for (const { hour, environment, release, n } of delta.hours) group.addHour({ hour, environment, release }, n);
  for (const { day, environment, n } of delta.days) group.addDay({ day, environment }, n);
  for (const visitor of delta.visitors) group.visitors.add(visitor);
  for (const [key, values] of delta.tags) for (const [value, n] of values) group.addTag(key, value, n);
  for (const [release, seen] of delta.releases) group.addRelease(release ?? undefined, seen);
  for (const text of delta.texts) group.texts.add(text);
  for (const stack of delta.stacks) group.stacks.add(stack);
}

function addSketch<Key extends object>(
  sketches: Map<string, Key & { set: SketchSet }>,
  name: string,
  key: Key,
  packed: string,
): void {
  const set = unpackSketches(Buffer.from(packed, "base64"));
  const known = sketches.get(name);
  if (known === undefined) sketches.set(name, { ...key, set });
  else mergeSketchSet(known.set, set);
}

/** Releases that sessions named are among the releases of the delta already. */
function addSessions(sums: BatchSums, session: Omit<Delta["sessions"][number], "hour">, hour: number): void {
  const { release, environment, ...counts } = session;
  sums.addSessionCounts({ ...counts, hour, release, environment });
}
