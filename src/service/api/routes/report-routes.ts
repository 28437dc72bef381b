import { lastDays } from "../../queries/period.ts";
import { readNumbers, writeTimeCursor } from "../cursor.ts";
import type { ReportOperations } from "../operations/report-operations.ts";
import { member, ok, type RoutesOf, unknown, viewer } from "../route.ts";
import { flag, list, oneOf, shape, text, whole } from "../schema/schema.ts";
import { wrongCursor } from "./issue-routes.ts";
import {
  feedbackSchema,
  pageReportSchema,
  releaseDetailsSchema,
  releaseSchema,
  scheduledTaskSchema,
} from "./report-schemas.ts";
import { byId, changedCount, cursor, inProject, listSchema, pageSchema } from "./shared-schemas.ts";

type ReportRoutes = RoutesOf<ReportOperations>;

export const reportRoutes: ReportRoutes = {
  "GET /projects/{project}/pages": {
    summary: "Routes of the application: views, durations, web vitals, prefetches and errors.",
    needs: viewer,
    params: inProject,
    query: shape({ days: whole({ min: 1, max: 90, default: 1, description: "The last days." }) }),
    response: listSchema(pageReportSchema),
    handle: async ({ api, params: { project }, query: { days } }) =>
      ok({ items: await api.pages(project, lastDays(days, api.now())) }),
  },

  "GET /projects/{project}/releases": {
    summary: "Releases, newest first, with their issues, crash-free visits and web vitals.",
    needs: viewer,
    params: inProject,
    response: listSchema(releaseSchema),
    handle: async ({ api, params: { project } }) => ok({ items: await api.releases(project) }),
  },

  "GET /projects/{project}/releases/{id}": {
    summary: "One release with its commits and source maps.",
    needs: viewer,
    params: byId,
    response: releaseDetailsSchema,
    async handle({ api, params: { project, id } }) {
      const found = await api.release(project, id);
      return found === undefined ? unknown("release") : ok(found);
    },
  },

  "GET /projects/{project}/feedback": {
    summary: "What visitors have written, newest first.",
    needs: viewer,
    params: inProject,
    query: shape({ archived: flag({ default: false }) }, { cursor }),
    response: pageSchema(feedbackSchema),
    async handle({ api, params: { project }, query: { archived, cursor: place } }) {
      const [at, id] = place === undefined ? [] : (readNumbers(place) ?? []);
      if (place !== undefined && (at === undefined || id === undefined)) return wrongCursor;
      const before = at === undefined || id === undefined ? undefined : { at, id };
      const { entries, next } = await api.feedback({ project, archived, before });
      return ok({ items: entries, ...(next && { next: writeTimeCursor({ at: next.at, skip: next.id }) }) });
    },
  },

  "POST /projects/{project}/feedback/changes": {
    summary: "Archives feedback, or opens it again.",
    needs: member,
    params: inProject,
    body: shape({ ids: list(whole({ min: 1 }), { min: 1, max: 200 }), archived: flag() }),
    response: changedCount,
    handle: async ({ api, params: { project }, body: { ids, archived } }) =>
      ok({ changed: await api.changeFeedback(project, ids, archived) }),
  },

  "GET /projects/{project}/check-ins": {
    summary: "Scheduled tasks with their last runs.",
    needs: viewer,
    params: inProject,
    response: listSchema(scheduledTaskSchema),
    handle: async ({ api, params: { project } }) => ok({ items: await api.scheduledTasks(project) }),
  },

  "POST /projects/{project}/check-ins/changes": {
    summary: "Mutes, unmutes or deletes a scheduled task.",
    needs: member,
    params: inProject,
    body: shape(
      { name: text({ min: 1, max: 250 }), change: oneOf(["mute", "unmute", "delete"]) },
      { environment: text({ max: 250 }) },
    ),
    async handle({ api, person, params: { project }, body: { name, environment, change } }) {
      const tasks = await api.scheduledTasks(project);
      if (!tasks.some((one) => one.name === name && one.environment === environment)) return unknown("scheduled task");
      await api.changeTask({ project, name, environment }, change, person.name);
      return { kind: "done" };
    },
  },
};
