import { roleIn } from "../../accounts/people.ts";
import { dayMs } from "../../clock.ts";
import { readLogCursor } from "../../queries/logs.ts";
import type { EventOperations } from "../operations/event-operations.ts";
import { identified, ok, type RoutesOf, unknown, viewer } from "../route.ts";
import { anyText, list, oneOf, shape, text, whole } from "../schema/schema.ts";
import { eventSchema, findResultSchema, searchResultSchema, visitorSchema } from "./event-schemas.ts";
import { wrongCursor } from "./issue-routes.ts";
import { attachmentSchema } from "./report-schemas.ts";
import { byId, cursor, inProject, limit, listSchema, pageSchema, projectNumber } from "./shared-schemas.ts";
import { logChartSchema, logLineSchema, traceSchema } from "./trace-schemas.ts";

type EventRoutes = RoutesOf<EventOperations>;

const typed = shape({ q: text({ min: 1, max: 1_000, description: "As typed into the search box of the console." }) });

const logFilter = {
  ...text({ max: 1_000, description: "In the filter language: words, `environment:`, `trace:`, attributes." }),
  default: "",
};

const period = {
  from: whole({ min: 0, description: "Milliseconds since 1970. By default a day ago." }),
  to: whole({ min: 0, description: "Milliseconds since 1970. By default now." }),
};

const levels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

const someLevels = list(oneOf(levels), { max: levels.length });

export const eventRoutes: EventRoutes = {
  "GET /digests/{digest}": {
    summary: "Finds an event by the code that its visitor was shown, or by its id, in all projects of the caller.",
    needs: identified,
    params: shape({ digest: text({ min: 1, max: 100 }) }),
    response: shape({ project: whole(), event: anyText("Id of the event."), issue: whole() }),
    async handle({ api, person, params: { digest } }) {
      for (const { id: project } of api.projects()) {
        const found = roleIn(person, project) === undefined ? undefined : await api.event(project, digest);
        if (found) return ok({ project, event: found.event.eventId, issue: found.issue.number });
      }
      return unknown("event");
    },
  },

  "GET /projects/{project}/events/{id}": {
    summary: "One event, by id or digest, as JSON or as Markdown.",
    needs: viewer,
    params: byId,
    response: eventSchema,
    also: "text/markdown",
    async handle({ api, params: { project, id }, consoleAddress, wantsMarkdown }) {
      if (wantsMarkdown) {
        const text = await api.eventAsMarkdown(project, id, consoleAddress);
        return text === undefined ? unknown("event") : { kind: "markdown", text };
      }
      const event = await api.publicEvent(project, id, consoleAddress);
      return event === undefined ? unknown("event") : ok(event);
    },
  },

  "GET /projects/{project}/events/{id}/attachments": {
    summary: "Files that came with an event.",
    needs: viewer,
    params: byId,
    response: listSchema(attachmentSchema),
    async handle({ api, params: { project, id } }) {
      const found = await api.event(project, id);
      return found === undefined ? unknown("event") : ok({ items: found.attachments });
    },
  },

  "GET /projects/{project}/events/{id}/attachments/{attachment}": {
    summary: "One file, as bytes. Its client has written it: do not trust it.",
    needs: viewer,
    params: shape({ project: projectNumber, id: text({ min: 1, max: 100 }), attachment: whole({ min: 1 }) }),
    isFile: "bytes",
    async handle({ api, params: { project, id, attachment } }) {
      const found = await api.attachment(project, id, attachment);
      return found === undefined
        ? unknown("attachment")
        : { kind: "file", bytes: found.bytes, filename: found.filename };
    },
  },

  "GET /projects/{project}/find": {
    summary: "What a text names: an event, an issue, a trace, a release, a visitor, feedback, or a filter for issues.",
    needs: viewer,
    params: inProject,
    query: typed,
    response: findResultSchema,
    handle: async ({ api, params: { project }, query: { q } }) => ok(await api.find(project, q)),
  },

  "GET /projects/{project}/search": {
    summary: "Visitors, releases and routes whose name contains a text.",
    needs: viewer,
    params: inProject,
    query: typed,
    response: searchResultSchema,
    handle: async ({ api, params: { project }, query: { q } }) => ok(await api.search(project, q)),
  },

  "GET /projects/{project}/traces/{id}": {
    summary: "Everything of one trace: spans, errors and log lines, from the click to the query of the database.",
    needs: viewer,
    params: byId,
    response: traceSchema,
    async handle({ api, params: { project, id } }) {
      const found = await api.trace(project, id.toLowerCase());
      return found === undefined ? unknown("trace") : ok(found);
    },
  },

  "GET /projects/{project}/logs": {
    summary: "Log lines that match a filter, newest first. A page may be empty and have a next one.",
    needs: viewer,
    params: inProject,
    query: shape(
      {
        q: logFilter,
        limit,
      },
      {
        levels: someLevels,
        ...period,
        cursor,
      },
    ),
    response: pageSchema(logLineSchema),
    async handle({ api, params: { project }, query: { q, levels: wanted, from, to, limit: most, cursor: after } }) {
      if (after !== undefined && readLogCursor(after) === undefined) return wrongCursor;
      const { lines, next } = await api.logs({
        project,
        filter: withLevels(q, wanted),
        period: periodOf(from, to, api.now()),
        limit: most,
        after,
      });
      return ok({ items: lines.map(({ place: _, route: __, ...line }) => line), ...(next !== undefined && { next }) });
    },
  },

  "GET /projects/{project}/logs/lines": {
    summary: "Log lines that match a filter, as lines of JSON, newest first, up to 100,000 or as the operator says.",
    needs: viewer,
    params: inProject,
    query: shape({ q: logFilter }, { levels: someLevels, ...period }),
    isFile: "lines",
    async handle({ api, params: { project }, query: { q, levels: wanted, from, to } }) {
      const question = { project, filter: withLevels(q, wanted), period: periodOf(from, to, api.now()) };
      return { kind: "lines", lines: await api.exportLogs(question), filename: `logs-${project}.ndjson` };
    },
  },

  "GET /projects/{project}/logs/chart": {
    summary: "How many log lines match a filter, by level and time.",
    needs: viewer,
    params: inProject,
    query: shape({ q: logFilter }, period),
    response: logChartSchema,
    handle: async ({ api, params: { project }, query: { q, from, to } }) =>
      ok(await api.logChart({ project, filter: q, period: periodOf(from, to, api.now()) })),
  },

  "GET /projects/{project}/visitors/{visitor}": {
    summary: "What happened in the visits of one visitor, newest first.",
    needs: viewer,
    params: shape({ project: projectNumber, visitor: whole() }),
    response: visitorSchema,
    async handle({ api, params: { project, visitor } }) {
      const found = await api.visitor(project, visitor);
      return found === undefined ? unknown("visitor") : ok(found);
    },
  },
};

/** Terms of a filter all apply, so that one of several levels is none of the others. */
function withLevels(filter: string, wanted: readonly string[] | undefined): string {
  const others = wanted === undefined ? [] : levels.filter((level) => !wanted.includes(level));
  return [filter, ...others.map((level) => `-level:${level}`)].join(" ");
}

function periodOf(from: number | undefined, to: number | undefined, now: number): { from: number; to: number } {
  const end = to ?? now;
  return { from: from ?? end - dayMs, to: end };
}
