import { type AlertMessage, cut, factsOf } from "../messages/alert-message.ts";
import { asMarkdown } from "../messages/as-markdown.ts";

/** PagerDuty cuts a longer summary. */
const summaryLength = 1_024;

const severities: Readonly<Record<string, string>> = { fatal: "critical", error: "error", warning: "warning" };

/** `dedup_key` is the same for all messages about one thing: PagerDuty adds them to one incident. */
export function pagerDutyBody(routingKey: string, message: AlertMessage): object {
  const { reason, title, level, project, link, at, about } = message;
  return {
    routing_key: routingKey,
    event_action: "trigger",
    dedup_key: about,
    client: "Holdfast",
    client_url: link,
    payload: {
      summary: cut(`${reason}: ${title}`, summaryLength),
      source: project.name,
      severity: severities[level] ?? "info",
      timestamp: new Date(at).toISOString(),
      custom_details: { ...Object.fromEntries(factsOf(message)), details: asMarkdown(message) },
    },
    links: [{ href: link, text: "Open in the console" }],
  };
}
