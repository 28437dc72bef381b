import { type AlertRule, alertLimits, type QuietHours, ruleBounds, ruleKinds } from "../../alerts/alert-settings.ts";
import type { AlertsAnswer } from "../../console-api/alerts-api.ts";
import type { AsJson } from "../schema/as-json.ts";
import {
  type ApiSchema,
  anyText,
  decimal,
  flag,
  list,
  named,
  oneOf,
  shape,
  text,
  time,
  whole,
} from "../schema/schema.ts";

const filterValues = list(text({ min: 1, max: 200 }), { max: alertLimits.filterValues });

function bounded([min, max]: readonly [number, number]): { min: number; max: number } {
  return { min, max };
}

export const alertRuleSchema: ApiSchema<AsJson<AlertRule>> = named(
  "AlertRule",
  shape(
    {
      kind: oneOf(ruleKinds),
      isOn: flag(),
      filters: shape({ levels: filterValues, environments: filterValues, routes: filterValues }),
      events: whole(bounded(ruleBounds.events)),
      visitors: whole(bounded(ruleBounds.visitors)),
      minutes: whole(bounded(ruleBounds.minutes)),
      factor: decimal(bounded(ruleBounds.factor)),
    },
    { mutedUntil: whole({ min: 0, description: "Milliseconds since 1970." }) },
  ),
);

const hour = whole({ min: 0, max: 23 });

export const quietHoursSchema: ApiSchema<QuietHours> = named(
  "QuietHours",
  shape({ from: hour, to: hour, timeZone: text({ min: 1, max: 60 }) }),
);

export const alertsSchema: ApiSchema<AsJson<AlertsAnswer>> = named(
  "Alerts",
  shape(
    {
      channels: list(
        shape(
          {
            id: anyText(),
            name: anyText(),
            kind: oneOf(["discord", "mail", "mattermost", "pagerduty", "slack", "teams", "telegram", "webhook"]),
            target: anyText("Where messages go, as far as it is no secret: recipients, or a host."),
            waiting: whole(),
          },
          { sentAt: time(), failure: shape({ at: time(), why: anyText() }) },
        ),
      ),
      hasMailServer: flag({ description: "Whether mails can be sent at all." }),
      rules: list(alertRuleSchema),
      allowedHosts: list(anyText(), {
        description: "Hosts inside the network that webhooks may reach, with a port if it is not the usual one.",
      }),
      summaryMail: oneOf(["daily", "off", "weekly"], {
        description: "A mail about the last day or week, in the morning.",
      }),
    },
    { quietHours: quietHoursSchema },
  ),
);
