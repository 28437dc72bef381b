import type { SegmentKind } from "../../filed.ts";
import type { VisitorRecord } from "../../records.ts";
import { levels } from "../../values/row-values.ts";
import { visitorRecords } from "../../values/visitor-records.ts";
import type { ReadDeps } from "./reader.ts";

interface Row {
  visitor: number | null;
  at: number;
  kind: string;
  route: number;
  release: number;
  level: number | null;
  event_id: string | null;
}

/** Everybody in so many of the newest views and of the newest events: the rows are bounded, not the people. */
export async function readRecentVisitors(
  { pool, names }: ReadDeps,
  project: number,
  among: number,
): Promise<readonly VisitorRecord[]> {
  const rows = await pool.all<Row>(
    `(SELECT visitor, at, kind, route, release, NULL::int2 AS level, NULL::uuid AS event_id FROM holdfast.segment
      WHERE project = $1 ORDER BY block DESC LIMIT $2)
     UNION ALL
     (SELECT visitor, at, 'event', route, release, level, event_id FROM holdfast.event
      WHERE project = $1 ORDER BY id DESC LIMIT $2)`,
    project,
    among,
  );
  const text = await names.read(rows.flatMap(({ route, release }) => [route, release]));
  return visitorRecords(
    rows.map(({ visitor, at, kind, route, release, level, event_id }) => ({
      visitor,
      at,
      // Written by this store from the same union.
      kind: kind as "event" | SegmentKind,
      route: text(route),
      release: text(release),
      level: level === null ? undefined : (levels[level] ?? "error"),
      eventId: event_id ?? undefined,
    })),
    (id) => id,
  );
}
