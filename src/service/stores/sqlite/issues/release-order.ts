import { compareReleases } from "../../../issues/compare-releases.ts";
import type { StoreFiles } from "../store-files.ts";

/** Compares two releases of a project by version, else by first sighting. */
export function releaseOrder({ meta }: StoreFiles, project: number): (a: string, b: string) => number {
  const firstSeen = (release: string): number | undefined =>
    meta.one<{ first_seen: number }>("SELECT first_seen FROM release WHERE project = ? AND name = ?", project, release)
      ?.first_seen;
  return (a, b) => compareReleases(a, b, firstSeen);
}
