import type { AlertMessage } from "./alert-message.ts";

/** What a message without an issue has in common with others. */
export function plainMessage(
  project: AlertMessage["project"],
  at: number,
): Omit<AlertMessage, "id" | "reason" | "title" | "level" | "link" | "about"> {
  return {
    project,
    source: undefined,
    route: undefined,
    release: undefined,
    environment: undefined,
    events: undefined,
    visitors: undefined,
    digest: undefined,
    at,
    items: [],
    itemsInAll: 0,
  };
}
