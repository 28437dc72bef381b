import { compareReleases } from "../../../issues/compare-releases.ts";
import type { Queries } from "../connect/connections.ts";

/** The releases of a project, and how to compare two of them: by version, else by when the store first saw them. */
export interface ReleaseOrder {
  readonly compare: (a: string, b: string) => number;
  readonly newest: string | undefined;
}

export async function releaseOrder(queries: Queries, project: number): Promise<ReleaseOrder> {
  const rows = await queries.all<{ name: string; first_seen: number }>(
    "SELECT name, first_seen FROM holdfast.release WHERE project = $1",
    project,
  );
  const firstSeen = new Map(rows.map(({ name, first_seen }) => [name, first_seen]));
  const compare = (a: string, b: string): number => compareReleases(a, b, (release) => firstSeen.get(release));
  const names = [...firstSeen.keys()].sort();
  const newest = names.reduce<string | undefined>(
    (known, name) => (known === undefined || compare(name, known) > 0 ? name : known),
    undefined,
  );
  return { compare, newest };
}
