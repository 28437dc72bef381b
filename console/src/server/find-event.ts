import { readDigest } from "holdfast/protocol";
import { consoleApi, type Person } from "holdfast/service";
import { projectsOf } from "./scope.ts";

/** Whether a text can be the digest or the id of an event. */
export function namesEvent(text: string): boolean {
  return readDigest(text) !== undefined || /^\s*[0-9a-f]{8}(-?[0-9a-f]{4}){4}[0-9a-f]{8}\s*$/i.test(text);
}

/**
 * An event by its digest or id, which say nothing about its project: it is looked for in all that the person may see.
 * `first` is the project that the person is in.
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
