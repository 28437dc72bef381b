import type { Administration } from "../administration/administration.ts";
import type { Service } from "../open-service.ts";
import type { ImportOutcome } from "../portable/import-lines.ts";
import { portableLimitsOf } from "../portable/limits.ts";
import { openExport } from "../portable/open-export.ts";
import type { Projects } from "../projects.ts";
import type { PortableLine } from "../stores/portable/lines.ts";

/** Takes a project out of the service, or one of another service in. */
export interface PortableApi {
  /** The whole project as lines of JSON, from a cursor on. The audit log names the person. */
  exportLines(project: number, after: string | undefined, by: string): Promise<AsyncIterable<string>>;
  /** Imports checked lines. They may come again. */
  importLines(project: number, lines: readonly PortableLine[], by: string): Promise<ImportOutcome>;
}

export interface PortableApiDeps {
  readonly dataFolder: string;
  readonly store: string | undefined;
  readonly service: Pick<Service, "importLines">;
  readonly projects: Projects;
  readonly administration: Pick<Administration, "record">;
  readonly now: () => number;
}

/** Requests of one import follow each other within this time. One entry in the audit log is enough for all of them. */
const sameImportMs = 3_600_000;

export function openPortableApi({ administration, now, ...deps }: PortableApiDeps): PortableApi {
  const { dataFolder, store, service, projects } = deps;
  const recorded = new Map<string, number>();
  return {
    async exportLines(project, after, by) {
      const name = projects.byId(project)?.name ?? String(project);
      const limits = portableLimitsOf(process.env);
      const lines = await openExport({ dataFolder, store, project: { id: project, name }, after, now, limits });
      if (after === undefined) await administration.record({ by, project, what: "exported the project" });
      return lines;
    },
    async importLines(project, lines, by) {
      const key = `${project} ${by}`;
      const outcome = await service.importLines(project, lines, by);
      if (now() - (recorded.get(key) ?? 0) > sameImportMs)
        await administration.record({ by, project, what: "imported into the project" });
      recorded.set(key, now());
      return outcome;
    },
  };
}
