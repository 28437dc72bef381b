import type { AlertItem, AlertMessage } from "./alert-message.ts";
import { plainMessage } from "./plain-message.ts";

export interface SummaryPlace {
  readonly project: { readonly id: number; readonly name: string };
  /** Address of the console, without a slash at its end. */
  readonly console: string;
  readonly at: number;
}

/** One message for alerts that exceed the bound of a channel, or that came in quiet hours. */
export function describeSummary(
  { project, console, at }: SummaryPlace,
  id: string,
  count: number,
  items: readonly AlertItem[],
): AlertMessage {
  return {
    ...plainMessage(project, at),
    id,
    reason: "Summary",
    title: `${count.toLocaleString("en-US")} further ${count === 1 ? "alert" : "alerts"}`,
    level: "error",
    link: `${console}/${project.id}/issues`,
    about: `holdfast-${project.id}-summary`,
    items,
    itemsInAll: count,
  };
}
