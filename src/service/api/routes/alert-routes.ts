import { isAtLeast, roleIn } from "../../accounts/people.ts";
import type { AlertProblems } from "../../administration/alert-administration.ts";
import type { AlertRule } from "../../alerts/alert-settings.ts";
import type { AlertOperations, ChannelBody } from "../operations/alert-operations.ts";
import { type ApiOutcome, member, ok, owner, type RoutesOf, unknown, viewer } from "../route.ts";
import { type ApiSchema, list, named, oneOf, shape, table, text, whole } from "../schema/schema.ts";
import { alertRuleSchema, alertsSchema, quietHoursSchema } from "./alert-schemas.ts";
import { byId, inProject, name } from "./shared-schemas.ts";

type AlertRoutes = RoutesOf<AlertOperations>;

const channel: ApiSchema<ChannelBody> = named(
  "ChannelWish",
  shape({
    name,
    channel: table<unknown>(
      {},
      "`kind` is mail (with `to`), webhook (`url`, `secret`), slack, discord, teams or mattermost (`url`), telegram " +
        "(`token`, `chat`) or pagerduty (`routingKey`). A changed channel keeps the secrets that are left out.",
    ),
  }),
);

export const alertRoutes: AlertRoutes = {
  "GET /projects/{project}/alerts": {
    summary: "Rules, channels and quiet hours of alerts, without the secrets of channels.",
    needs: viewer,
    params: inProject,
    response: alertsSchema,
    async handle({ api, person, params: { project } }) {
      const alerts = await api.alerts.of(project);
      if (isAtLeast(roleIn(person, project), "member")) return ok(alerts);
      return ok({ ...alerts, channels: alerts.channels.map((one) => ({ ...one, target: "" })) });
    },
  },

  "PUT /projects/{project}/alerts/rules": {
    summary: "Changes the rule of this kind.",
    needs: owner,
    params: inProject,
    body: alertRuleSchema as ApiSchema<AlertRule>,
    handle: async ({ api, person, params: { project }, body }) =>
      doneUnless(await api.administration.alerts.changeRule(project, withEnd(body), person.name)),
  },

  "POST /projects/{project}/alerts/rules/preview": {
    summary: "How often a rule would have fired in the last week. Absent where nothing of the past is known.",
    needs: member,
    params: inProject,
    body: alertRuleSchema as ApiSchema<AlertRule>,
    response: shape({}, { times: whole({ min: 0 }) }),
    handle: async ({ api, params: { project }, body }) =>
      ok({ times: await api.alerts.preview(project, withEnd(body)) }),
  },

  "PUT /projects/{project}/alerts/conditions": {
    summary: "Quiet hours, hosts inside the network that webhooks may reach, and the summary by mail.",
    needs: owner,
    params: inProject,
    body: shape(
      { allowedHosts: list(text({ min: 1, max: 260 }), { max: 20 }), summaryMail: oneOf(["off", "daily", "weekly"]) },
      { quietHours: quietHoursSchema },
    ),
    handle: async ({ api, person, params: { project }, body }) =>
      doneUnless(
        await api.administration.alerts.changeConditions(
          project,
          { ...body, quietHours: body.quietHours },
          person.name,
        ),
      ),
  },

  "POST /projects/{project}/alerts/channels": {
    summary: "Adds a channel.",
    needs: owner,
    params: inProject,
    body: channel,
    handle: async ({ api, person, params: { project }, body }) =>
      doneUnless(await api.administration.alerts.saveChannel(project, { ...body, id: undefined }, person.name)),
  },

  "PUT /projects/{project}/alerts/channels/{id}": {
    summary: "Changes a channel. Its secrets that are left out stay as they are.",
    needs: owner,
    params: byId,
    body: channel,
    async handle({ api, person, params: { project, id }, body }) {
      if (!api.administration.alerts.of(project).channels.some((one) => one.id === id)) return unknown("channel");
      return doneUnless(await api.administration.alerts.saveChannel(project, { ...body, id }, person.name));
    },
  },

  "DELETE /projects/{project}/alerts/channels/{id}": {
    summary: "Removes a channel.",
    needs: owner,
    params: byId,
    handle: async ({ api, person, params: { project, id } }) =>
      (await api.administration.alerts.removeChannel(project, id, person.name)) ? { kind: "done" } : unknown("channel"),
  },

  "POST /projects/{project}/alerts/channels/{id}/test": {
    summary: "Sends a message at once, past quiet hours and rules.",
    needs: owner,
    params: byId,
    async handle({ api, params: { project, id } }) {
      const tested = await api.alerts.sendTest(project, id);
      if (tested === undefined) return unknown("channel");
      return tested.kind === "sent" ? { kind: "done" } : { kind: "conflict", why: tested.why };
    },
  },
};

function withEnd(rule: AlertRule): AlertRule {
  return { ...rule, mutedUntil: rule.mutedUntil };
}

function doneUnless(problems: AlertProblems): ApiOutcome<never> {
  const [problem] = Object.entries(problems);
  return problem === undefined ? { kind: "done" } : { kind: "invalid", path: `/${problem[0]}`, why: problem[1] };
}
