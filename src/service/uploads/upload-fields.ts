import { isObject, type JsonObject } from "#protocol";
import type { Project } from "../projects.ts";

const longestName = 200;

/** Returns undefined if the body is no JSON object. */
export function readUploadJson(body: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a request names this project: by number, or by name in any case. Tools ask for a name of their own. */
export function namesProject({ id, name }: Project, named: unknown): boolean {
  const text = String(named).trim();
  return text === String(id) || text.toLowerCase() === name.trim().toLowerCase();
}

/** Projects that a request names in its body. */
export function namedProjects(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function anotherProject(project: Project, named: unknown): string {
  return `The token is for project ${project.id} (${project.name}), and the request names ${String(named).slice(0, 100)}.`;
}

/** Whether it can be the name of a release, an environment or a deploy. */
export function isUploadName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= longestName;
}
