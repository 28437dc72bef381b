import { isAtLeast, roleIn } from "../accounts/people.ts";
import type { Project } from "../projects.ts";
import type { ToolContext, ToolNeed, ToolOutcome } from "./tool.ts";

export function visibleProjects({ api, person }: ToolContext): readonly Project[] {
  return api.projects().filter(({ id }) => roleIn(person, id) !== undefined);
}

export type ChosenProject = { kind: "project"; project: number } | Exclude<ToolOutcome, { kind: "found" | "done" }>;

/**
 * Finds the project that a call means: the named one, or the only one. A project that the caller may not see is as
 * unknown as one that does not exist. The attempt is noted in the audit log.
 */
export function chooseProject(context: ToolContext, wanted: number | undefined, need: ToolNeed): ChosenProject {
  const visible = visibleProjects(context);
  const [only, ...others] = visible;
  if (wanted === undefined && others.length > 0)
    return {
      kind: "invalid",
      why: `Name the project: ${visible.map(({ id }) => id).join(", ")}. \`projects\` lists them.`,
    };
  const project = wanted === undefined ? only?.id : visible.find(({ id }) => id === wanted)?.id;
  if (project === undefined) {
    noteRefusal(context, wanted, "no role in this project");
    return { kind: "unknown", what: wanted === undefined ? "project that this token may read" : `project ${wanted}` };
  }
  if (need === "read" || isAtLeast(roleIn(context.person, project), "member")) return { kind: "project", project };
  noteRefusal(context, project, "it takes the role member and the scope triage");
  return {
    kind: "refused",
    why: "This token only reads. Changes need a token with the scope triage, of a project or of one of its members.",
  };
}

/** The answer waits for nothing, and is the same if it cannot be written. Unknown numbers are no project's business. */
function noteRefusal({ api, person }: ToolContext, project: number | undefined, why: string): void {
  if (project === undefined || !api.projects().some(({ id }) => id === project)) return;
  api.refuse({ who: person.name, project, why }).catch(() => undefined);
}
