import { load } from "holdfast/server";
import { type LiveRecord, openedDesk } from "holdfast/service";
import { scopeOf } from "../../server/scope.ts";

export const fresh = 0;

/** The newest there is, newest first. The page asks again by itself while it is looked at. */
export const data = load("/_holdfast/[project]/live", (context) => {
  const { project } = scopeOf(context);
  const desk = openedDesk();
  const { records } = desk.live(project.id);
  return {
    now: desk.now(),
    records: records.toReversed().map(showRecord),
  };
});

interface Shown {
  rowId: number;
  at: number;
  kind: string;
  text: string;
  route: string | undefined;
  /** Below the project. */
  leads: string | undefined;
}

function showRecord(record: LiveRecord): Shown {
  const { rowId, at } = record;
  switch (record.kind) {
    case "event":
      return {
        rowId,
        at,
        kind: record.level,
        text: record.title,
        route: record.route,
        leads: `events/${record.eventId}`,
      };
    case "segment": {
      const text = `${Math.round(record.durationMs)} ms ${record.status}`;
      return { rowId, at, kind: record.segment, text, route: record.route, leads: `traces/${record.traceId}` };
    }
    case "log": {
      const { level, body, traceId } = record.line;
      return { rowId, at, kind: `log ${level}`, text: body, route: undefined, leads: traceId && `traces/${traceId}` };
    }
  }
}
