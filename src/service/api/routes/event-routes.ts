import { roleIn } from "../../accounts/people.ts";
import { dayMs } from "../../clock.ts";
import { readLogCursor } from "../../queries/logs.ts";
import type { EventOperations } from "../operations/event-operations.ts";
import { identified, ok, type RoutesOf, unknown, viewer } from "../route.ts";
import { anyText, list, named, oneOf, open, shape, table, text, time, whole } from "../schema/schema.ts";
import { wrongCursor } from "./issue-routes.ts";
import { byId, cursor, inProject, limit, listSchema, pageSchema, projectNumber } from "./shared-schemas.ts";

type EventRoutes = RoutesOf<EventOperations>;

const typed = shape({ q: text({ min: 1, max: 1_000, description: "As typed into the search box of the console." }) });

const levels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

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
    response: open("Event", "An event in its public form. Fields are only ever added. Its times are ISO dates."),
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
    response: listSchema(shape({ id: whole(), filename: anyText() }, { contentType: anyText(), size: whole() })),
    async handle({ api, params: { project, id } }) {
      const found = await api.event(project, id);
      return found === undefined ? unknown("event") : ok({ items: found.attachments });
    },
  },

  "GET /projects/{project}/events/{id}/attachments/{attachment}": {
    summary: "One file, as bytes. Its client has written it: do not trust it.",
    needs: viewer,
    params: shape({ project: projectNumber, id: text({ min: 1, max: 100 }), attachment: whole({ min: 1 }) }),
    isFile: true,
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
    response: open("FindResult", "`kind` says what was found. Its id, number or name is beside it."),
    handle: async ({ api, params: { project }, query: { q } }) => ok(await api.find(project, q)),
  },

  "GET /projects/{project}/search": {
    summary: "Visitors, releases and routes whose name contains a text.",
    needs: viewer,
    params: inProject,
    query: typed,
    response: shape({
      visitors: list(
        named("FoundVisitor", shape({ visitor: whole(), about: anyText(), lastAt: time() }, { name: anyText() })),
      ),
      releases: list(anyText()),
      routes: list(anyText()),
    }) as EventRoutes["GET /projects/{project}/search"]["response"],
    handle: async ({ api, params: { project }, query: { q } }) => ok(await api.search(project, q)),
  },

  "GET /projects/{project}/traces/{id}": {
    summary: "Everything of one trace: spans, errors and log lines, from the click to the query of the database.",
    needs: viewer,
    params: byId,
    response: open("Trace", "`lines` are the spans in the order of a waterfall. Times are milliseconds since 1970."),
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
        q: {
          ...text({ max: 1_000, description: "In the filter language: words, `environment:`, `trace:`, attributes." }),
          default: "",
        },
        limit,
      },
      {
        levels: list(oneOf(levels), { max: levels.length }),
        from: whole({ min: 0, description: "Milliseconds since 1970. By default a day ago." }),
        to: whole({ min: 0, description: "Milliseconds since 1970. By default now." }),
        cursor,
      },
    ),
    response: pageSchema(
      named(
        "LogLine",
        shape(
          { at: time(), level: anyText(), body: anyText(), attributes: table<unknown>({}) },
          { traceId: anyText(), spanId: anyText() },
        ),
      ) as never,
    ),
    async handle({ api, params: { project }, query: { q, levels: wanted, from, to, limit: most, cursor: after } }) {
      if (after !== undefined && readLogCursor(after) === undefined) return wrongCursor;
      const end = to ?? api.now();
      // Terms of a filter all apply, so that one of several levels is none of the others.
      const others = wanted === undefined ? [] : levels.filter((level) => !wanted.includes(level));
      const { lines, next } = await api.logs({
        project,
        filter: [q, ...others.map((level) => `-level:${level}`)].join(" "),
        period: { from: from ?? end - dayMs, to: end },
        limit: most,
        after,
      });
      return ok({ items: lines.map(({ place: _, route: __, ...line }) => line), ...(next !== undefined && { next }) });
    },
  },

  "GET /projects/{project}/visitors/{visitor}": {
    summary: "What happened in the visits of one visitor, newest first.",
    needs: viewer,
    params: shape({ project: projectNumber, visitor: whole() }),
    response: open("Visitor", "Identities, visits with their steps, and the issues that the visitor met."),
    async handle({ api, params: { project, visitor } }) {
      const found = await api.visitor(project, visitor);
      return found === undefined ? unknown("visitor") : ok(found);
    },
  },
};
