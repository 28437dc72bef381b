import type { Role } from "../../accounts/people.ts";
import type { ById, Changed, InIssue, InProject } from "../operations/shared-types.ts";
import { type ApiSchema, anyText, list, oneOf, shape, text, whole } from "../schema/schema.ts";

export const projectNumber: ApiSchema<number> = whole({
  min: 1,
  max: 999_999_999,
  description: "Number of the project.",
});
const issueNumber: ApiSchema<number> = whole({ min: 1, max: 999_999_999, description: "Visible number of the issue." });
export const numbers: ApiSchema<readonly number[]> = list(issueNumber, { min: 1, max: 200 });

export const inProject: ApiSchema<InProject> = shape({ project: projectNumber });
export const inIssue: ApiSchema<InIssue> = shape({ project: projectNumber, number: issueNumber });
export const byId: ApiSchema<ById> = shape({ project: projectNumber, id: text({ min: 1, max: 250 }) });

export const name: ApiSchema<string> = text({ min: 1, max: 80, pattern: "\\S" });
export const role: ApiSchema<Role> = oneOf(["viewer", "member", "owner"]);

export const cursor: ApiSchema<string> = text({ max: 40, description: "`next` of the page before." });
export const limit: ApiSchema<number> = whole({ min: 1, max: 200, default: 50, description: "Entries of a page." });

export const changedCount: ApiSchema<Changed> = shape({ changed: whole({ min: 0 }) });

export function pageSchema<T>(
  items: ApiSchema<T>,
): ApiSchema<{ readonly items: readonly T[]; readonly next?: string }> {
  return shape({ items: list(items) }, { next: anyText("Cursor of the next page. Absent on the last one.") });
}

export function listSchema<T>(items: ApiSchema<T>): ApiSchema<{ readonly items: readonly T[] }> {
  return shape({ items: list(items) });
}
