import type { NumberedChange } from "../../console-api/console-api.ts";
import { chooseProject } from "../projects-of-caller.ts";
import type { ToolContext, ToolOutcome } from "../tool.ts";

export interface IssueChangeWish {
  readonly issue: number;
  readonly project: number | undefined;
  readonly change: NumberedChange;
  /** The sentence for a change that was made. */
  readonly done: string;
}

/** Changes one issue, if the token permits it. */
export async function changeIssue(context: ToolContext, wish: IssueChangeWish): Promise<ToolOutcome> {
  const { api, person } = context;
  const chosen = chooseProject(context, wish.project, "triage");
  if (chosen.kind !== "project") return chosen;
  if (api.change === undefined)
    return {
      kind: "refused",
      why: "A data folder is only read. Use --service with a token that has the scope triage.",
    };
  const changed = await api.change(chosen.project, [wish.issue], wish.change, person.name);
  return changed === 0
    ? { kind: "unknown", what: `issue #${wish.issue} that this would change` }
    : { kind: "done", text: wish.done };
}
