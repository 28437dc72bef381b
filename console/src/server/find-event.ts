import { readDigest } from "holdfast/protocol";
import { consoleApi, type Person } from "holdfast/service";
import { projectsOf } from "./scope.ts";

/** Whether a text can be the digest or the id of an event. */
export function namesEvent(text: string): boolean {
  return readDigest(text) !== undefined || /^\s*[0-9a-f]{8}(-?[0-9a-f]{4}){4}[0-9a-f]{8}\s*$/i.test(text);
}

/**
 * Finds an event by digest or id, which do not name its project: searches all projects that the person may see,
 * beginning with `first`, the current one.
 */
export async function findEvent(
  person: Person,
  text: string,
  first?: number,
): Promise<{ project: number; id: string } | undefined> {
  if (!namesEvent(text)) return undefined;
  const projects = projectsOf(person).map(({ id }) => id);
  for (const project of new Set(first === undefined ? projects : [first, ...projects])) {
    const found = await consoleApi().find(project, text);
    if (found.kind === "event") return { project, id: found.eventId };
  }
  return undefined;
}
