import type { FiledItem } from "../../filed.ts";
import { bytesOf, hexOf } from "../../values/row-values.ts";
import type { BatchDeps } from "./prepare-batch.ts";

interface SegmentKey {
  readonly traceId: string;
  readonly spanId: string;
  readonly project: number;
  readonly part: number;
}

/** The routes of segments: those in the database, and those that came before in the batch. The first one counts. */
export class SegmentRoutes {
  readonly #routes: Map<string, string>;

  constructor(known: Map<string, string>) {
    this.#routes = known;
  }

  /** Whether it is new. */
  add(key: SegmentKey, route: string): boolean {
    if (this.#routes.has(textOf(key))) return false;
    this.#routes.set(textOf(key), route);
    return true;
  }

  get(key: SegmentKey): string | undefined {
    return this.#routes.get(textOf(key));
  }
}

/** Vitals come long after their page load: the segment they belong to is in the database then. */
export async function findSegmentRoutes(
  { connections, names, parts }: BatchDeps,
  items: readonly FiledItem[],
): Promise<Map<string, string>> {
  const wanted = items.flatMap((item) =>
    item.kind === "spans"
      ? item.measures.flatMap(({ segmentId }) =>
          segmentId === undefined
            ? []
            : [{ traceId: item.traceId, spanId: segmentId, project: item.project, part: parts.at(item.receivedAt).id }],
        )
      : [],
  );
  if (wanted.length === 0) return new Map();
  const rows = await connections.preparing.all<{
    trace_id: string;
    span_id: Uint8Array;
    project: number;
    part: number;
    route: number;
  }>(
    `SELECT s.trace_id, s.span_id, s.project, s.part, s.route
     FROM unnest($1::uuid[], $2::bytea[], $3::int[], $4::int[]) AS u (trace_id, span_id, project, part)
     JOIN holdfast.segment s
       ON s.trace_id = u.trace_id AND s.span_id = u.span_id AND s.project = u.project AND s.part = u.part`,
    wanted.map(({ traceId }) => traceId),
    wanted.map(({ spanId }) => bytesOf(spanId)),
    wanted.map(({ project }) => project),
    wanted.map(({ part }) => part),
  );
  const textOfName = await names.read(rows.map(({ route }) => route));
  return new Map(
    rows.map(({ trace_id, span_id, project, part, route }) => [
      textOf({ traceId: trace_id, spanId: hexOf(span_id), project, part }),
      textOfName(route) ?? "",
    ]),
  );
}

function textOf({ traceId, spanId, project, part }: SegmentKey): string {
  return `${part} ${project} ${traceId} ${spanId}`;
}
