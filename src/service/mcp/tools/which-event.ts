import { type ApiSchema, text } from "../../api/schema/schema.ts";
import { lastDays } from "../../queries/period.ts";
import { type ChosenProject, chooseProject, visibleProjects } from "../projects-of-caller.ts";
import { issueNumber, ofProject, type ToolContext } from "../tool.ts";

/** Arguments that name an event. */
export const eventArguments: {
  readonly event: ApiSchema<string>;
  readonly issue: ApiSchema<number>;
  readonly project: ApiSchema<number>;
} = {
  event: text({
    min: 1,
    max: 64,
    description: "Digest that the visitor was shown, such as 7K2M-9QXD-4TBA, or the id of the event.",
  }),
  issue: issueNumber,
  ...ofProject,
};

export interface EventWish {
  readonly event?: string | undefined;
  readonly issue?: number | undefined;
  readonly project?: number | undefined;
}

export type FoundEvent =
  | { kind: "event"; project: number; eventId: string }
  | Exclude<ChosenProject, { kind: "project" }>;

/** Finds the event with a digest or id in all projects of the caller, or the latest one of an issue. */
export async function whichEvent(context: ToolContext, wish: EventWish): Promise<FoundEvent> {
  const { event, issue } = wish;
  if ((event === undefined) === (issue === undefined))
    return { kind: "invalid", why: "Name either the event or the issue, whose latest event is meant." };
  return event === undefined ? latestOf(context, wish) : named(context, event, wish.project);
}

async function named(context: ToolContext, event: string, wanted: number | undefined): Promise<FoundEvent> {
  const chosen = wanted === undefined ? undefined : chooseProject(context, wanted, "read");
  if (chosen !== undefined && chosen.kind !== "project") return chosen;
  const projects = chosen ? [chosen.project] : visibleProjects(context).map(({ id }) => id);
  for (const project of projects) {
    const found = await context.api.event(project, event);
    if (found !== undefined) return { kind: "event", project, eventId: found.event.eventId };
  }
  return { kind: "unknown", what: "event with this digest or id" };
}

async function latestOf(context: ToolContext, { issue = 0, project: wanted }: EventWish): Promise<FoundEvent> {
  const chosen = chooseProject(context, wanted, "read");
  if (chosen.kind !== "project") return chosen;
  const { project } = chosen;
  const found = await context.api.issue(project, issue, lastDays(1, context.api.now()));
  if (found === undefined) return { kind: "unknown", what: `issue #${issue}` };
  return { kind: "event", project, eventId: found.issue.lastEventId };
}
