import { hourMs, quarterMs } from "../../../clock.ts";
import { BatchSums } from "../../batch-sums.ts";
import { pack } from "../../bodies/packing.ts";
import type { FiledEvent, FiledItem, FiledLogs, FiledSession, FiledSpans } from "../../filed.ts";
import { bytesOf, levels } from "../../values/row-values.ts";
import { type BatchRows, noRows } from "../batch-columns.ts";
import { packDelta } from "../fold/delta.ts";
import { keyOf } from "../references.ts";
import { type NewBody, type PackedBodies, packBodies } from "./pack-bodies.ts";
import { type BatchDeps, type PreparedBatch, partMoment } from "./prepare-batch.ts";
import { findSegmentRoutes, SegmentRoutes } from "./segment-routes.ts";

export interface BuiltBatch {
  readonly rows: BatchRows;
  readonly events: number;
  readonly projects: readonly number[];
  readonly newReferences: PackedBodies["newReferences"];
}

/** Rows, packed bodies and sums of a batch. Nothing of it is in the database yet. */
export async function buildRows(deps: BatchDeps, batch: PreparedBatch): Promise<BuiltBatch> {
  const rows = noRows();
  const { bodies, newReferences } = await packAll(deps, batch, rows);
  const routes = new SegmentRoutes(await findSegmentRoutes(deps, batch.items));
  const builder = new RowBuilder(deps, batch, { rows, bodies, routes });
  for (const item of batch.items) builder.add(item);
  return { rows, ...builder.finish(), newReferences };
}

type BodiesByItem = ReadonlyMap<FiledItem, { block: number; slot: number }>;

async function packAll(
  { connections, references, parts, ids }: BatchDeps,
  { items, grouped, withBody }: PreparedBatch,
  rows: BatchRows,
): Promise<{ bodies: BodiesByItem; newReferences: PackedBodies["newReferences"] }> {
  const bodies = new Map<FiledItem, NewBody>();
  for (const item of items) {
    const hasBody = item.kind === "spans" || (item.kind === "event" && withBody.has(item));
    if (!hasBody) continue;
    const group = item.kind === "event" ? grouped.get(item)?.group : undefined;
    bodies.set(item, { body: item.body, part: parts.at(item.receivedAt).id, group });
  }
  const wanted = new Map(
    [...bodies.values()].flatMap(({ part, group }) =>
      group === undefined ? [] : [[keyOf(part, group), { part, group }] as const],
    ),
  );
  const known = await references.find(connections.preparing, [...wanted.values()]);
  const { slots, newReferences } = packBodies([...bodies.values()], known, rows, ids);
  const byItem = new Map([...bodies].map(([item, body]) => [item, slots.get(body) ?? { block: 0, slot: 0 }] as const));
  return { bodies: byItem, newReferences };
}

const facts = { started: 0, errored: 1, crashed: 2, abnormal: 3 } as const;

class RowBuilder {
  readonly #deps: BatchDeps;
  readonly #batch: PreparedBatch;
  readonly #rows: BatchRows;
  readonly #bodies: BodiesByItem;
  readonly #routes: SegmentRoutes;
  readonly #sums = new Map<number, BatchSums>();
  readonly #arrived = new Map<number, { first: number; last: number }>();
  readonly #facts = new Set<string>();

  constructor(
    deps: BatchDeps,
    batch: PreparedBatch,
    made: { rows: BatchRows; bodies: BodiesByItem; routes: SegmentRoutes },
  ) {
    this.#deps = deps;
    this.#batch = batch;
    this.#rows = made.rows;
    this.#bodies = made.bodies;
    this.#routes = made.routes;
  }

  add(item: FiledItem): void {
    const sums = this.#sumsOf(item.project);
    switch (item.kind) {
      case "event":
        return this.#addEvent(item, sums);
      case "spans":
        return this.#addSpans(item, sums);
      case "session":
        return this.#addSession(item, sums);
      case "session-counts":
        return sums.addSessions(item);
      case "logs":
        sums.addLogs(item.project, item.lines);
        return this.#addLogs(item);
      case "attachment":
        this.#rows.attachment.push({
          id: this.#deps.ids.take(),
          project: item.project,
          part: this.#partOf(item),
          event_id: item.eventId,
          filename: item.filename,
          content_type: item.contentType ?? null,
          packed: pack(item.bytes),
        });
        return;
      case "metrics":
        for (const measure of item.measures) sums.addMeasure(item.project, measure);
        for (const count of item.counts) sums.addCount(item.project, count);
        return;
      case "discards":
        for (const discard of item.discards) sums.addDiscard(item.project, discard);
        return;
      case "check-in":
        sums.checkIns.push(item);
        return;
      case "issue":
        // Committed before the batch.
        return;
      case "feedback":
        this.#rows.feedback.push({
          id: this.#deps.ids.take(),
          project: item.project,
          at: item.at,
          event_id: item.eventId ?? null,
          name: item.name ?? null,
          email: item.email ?? null,
          url: item.url ?? null,
          message: item.message,
          own_id: item.ownId ?? null,
          facts: JSON.stringify(item.facts),
        });
    }
  }

  finish(): { events: number; projects: readonly number[] } {
    let events = 0;
    for (const [project, sums] of this.#sums) {
      events += sums.events;
      this.#rows.delta.push({ project, events: sums.events, packed: packDelta(sums) });
    }
    for (const [project, { first, last }] of this.#arrived)
      this.#rows.arrival.push({ project, first_id: first, last_id: last });
    return { events, projects: [...this.#sums.keys()] };
  }

  #addEvent(event: FiledEvent, sums: BatchSums): void {
    const { names } = this.#batch;
    const grouped = this.#batch.grouped.get(event);
    if (grouped === undefined) throw new Error(`The event ${event.eventId} has no group.`);
    const part = this.#partOf(event);
    const id = this.#arrivalId(event.project);
    const slot = this.#bodies.get(event);
    this.#rows.event.push({
      id,
      at: event.at,
      received_at: event.receivedAt,
      grp: grouped.group,
      visitor: event.visitor ?? event.session ?? null,
      block: slot?.block ?? null,
      project: event.project,
      part,
      route: names.number(event.route),
      release: names.number(event.release),
      environment: names.number(event.environment),
      event_id: event.eventId,
      trace_id: event.traceId ?? null,
      level: levels.indexOf(event.level),
      slot: slot?.slot ?? null,
    });
    if (event.otherId !== undefined)
      this.#rows.other_id.push({ other_id: event.otherId, project: event.project, part, event: id });
    for (const alias of event.aliases)
      if (event.visitor !== undefined)
        this.#rows.visitor_alias.push({ project: event.project, part, alias, visitor: event.visitor });
    sums.addEvent(grouped.shown, grouped.group);
  }

  #addSpans(item: FiledSpans, sums: BatchSums): void {
    const { names } = this.#batch;
    const part = this.#partOf(item);
    const { project, traceId } = item;
    const id = this.#arrivalId(project);
    const { block, slot } = this.#bodies.get(item) ?? { block: 0, slot: 0 };
    this.#rows.span_block.push({ id, at: item.at, key: item.key, block, project, part, trace_id: traceId, slot });
    for (const segment of item.segments) {
      const { spanId, route, release, at } = segment;
      if (this.#routes.add({ traceId, spanId, project, part }, route))
        this.#rows.segment.push({
          at,
          duration: segment.durationMs,
          block: id,
          visitor: segment.visitor ?? segment.session ?? null,
          project,
          part,
          route: names.number(route),
          status: names.number(segment.status),
          release: names.number(release),
          environment: names.number(segment.environment),
          trace_id: traceId,
          span_id: bytesOf(spanId),
          kind: segment.op,
        });
      if (release !== undefined) sums.seeRelease(project, release, at, 0);
    }
    for (const measure of item.measures) {
      const { segmentId } = measure;
      const known = segmentId && this.#routes.get({ traceId, spanId: segmentId, project, part });
      sums.addMeasure(project, { ...measure, route: known ?? measure.route });
    }
    for (const count of item.counts) sums.addCount(project, count);
  }

  /** Which of the facts are new, the database finds out when it writes them. */
  #addSession(item: FiledSession, sums: BatchSums): void {
    const { project, sessionId, startedAt, release, environment, ended } = item;
    const part = this.#partOf(item);
    const reported = {
      started: true,
      errored: ended !== "well",
      crashed: ended === "crashed",
      abnormal: ended === "abnormal",
    };
    for (const [name, fact] of Object.entries(facts)) {
      const key = `${part} ${project} ${fact} ${sessionId}`;
      if (!reported[name as keyof typeof facts] || this.#facts.has(key)) continue;
      this.#facts.add(key);
      this.#rows.session_fact.push({
        project,
        part,
        session_id: sessionId,
        fact,
        hour: Math.floor(startedAt / hourMs),
        release: release ?? null,
        environment: environment ?? null,
        quarter: Math.floor(startedAt / quarterMs),
      });
    }
    if (release !== undefined) sums.seeRelease(project, release, startedAt, 0);
  }

  #addLogs(item: FiledLogs): void {
    if (item.lines.length === 0) return;
    let [from, to] = [Number.POSITIVE_INFINITY, 0];
    for (const { at } of item.lines) [from, to] = [Math.min(from, at), Math.max(to, at)];
    const traces = new Set(item.lines.flatMap(({ traceId }) => traceId ?? []));
    this.#rows.log_block.push({
      id: this.#arrivalId(item.project),
      project: item.project,
      part: this.#partOf(item),
      from_at: Math.floor(from),
      to_at: Math.ceil(to),
      lines: item.lines.length,
      traces: `{${[...traces].join(",")}}`,
      packed: pack(Buffer.from(JSON.stringify(item.lines))),
    });
  }

  #partOf(item: FiledItem): number {
    return this.#deps.parts.at(partMoment(item)).id;
  }

  #sumsOf(project: number): BatchSums {
    const sums = this.#sums.get(project) ?? new BatchSums();
    this.#sums.set(project, sums);
    return sums;
  }

  /** The id of a row that is followed live. Those of a batch follow each other. */
  #arrivalId(project: number): number {
    const id = this.#deps.ids.take();
    const arrived = this.#arrived.get(project);
    if (arrived === undefined) this.#arrived.set(project, { first: id, last: id });
    else arrived.last = id;
    return id;
  }
}
