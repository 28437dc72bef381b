import { consoleApi } from "holdfast/service";

/** Every screen asks for them, and a new one is rare. */
const freshMs = 60_000;
const mostKept = 100;

const kept = new Map<number, { at: number; environments: Promise<readonly string[]> }>();

export async function knownEnvironments(project: number): Promise<readonly string[]> {
  const api = consoleApi();
  const now = api.now();
  const known = kept.get(project);
  // A project that has none yet is asked again: its first report may have come.
  if (known !== undefined && now - known.at < freshMs && (await known.environments).length > 0)
    return known.environments;
  const environments = api.environments(project);
  if (kept.size >= mostKept) kept.clear();
  kept.set(project, { at: now, environments });
  environments.catch(() => kept.delete(project));
  return environments;
}
