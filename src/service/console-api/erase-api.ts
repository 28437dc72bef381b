import type { Administration } from "../administration/administration.ts";
import { auditWords, type ErasureReport, ErasureReports, erasedKind } from "../erasures/erasure-reports.ts";
import { type ErasureSubject, matchOfSubject } from "../erasures/erasure-subject.ts";
import { exportMatched } from "../erasures/export-visitor.ts";
import { type ErasureCounts, matchesNothing } from "../stores/erase/erasure.ts";
import { foreseeErasure } from "../stores/erase/run-erasure.ts";
import type { StoreReader } from "../stores/store.ts";
import { visitorHash } from "../stores/values/visitor-hash.ts";

/** Forgets what owners name, and hands out what is stored of a visitor. */
export interface EraseApi {
  /** What an erasure would remove. Undefined if the event or issue does not exist. */
  plan(project: number, subject: ErasureSubject): Promise<ErasureCounts | undefined>;
  /** Begins an erasure, which goes on in the background. Undefined as above. The audit log names the person. */
  begin(project: number, subject: ErasureSubject, by: string): Promise<ErasureReport | undefined>;
  /** What became of the erasures of a project, newest first. */
  reports(project: number): readonly ErasureReport[];
  /** The hash by which addresses of the console name a visitor, so that no identity is in them. */
  hashOf(identity: string): number;
  /** Everything of a visitor as lines of JSON. The audit log names the person. */
  exportVisitor(project: number, subject: ErasureSubject, by: string): Promise<AsyncIterable<string>>;
}

export interface EraseApiDeps {
  readonly dataFolder: string;
  readonly store: () => Promise<StoreReader>;
  readonly administration: Pick<Administration, "record">;
  readonly now: () => number;
}

export function openEraseApi({ dataFolder, store, administration, now }: EraseApiDeps): EraseApi {
  const reports = new ErasureReports(dataFolder);
  return {
    async plan(project, subject) {
      const reader = await store();
      const match = await matchOfSubject(reader, project, subject);
      return match && foreseeErasure({ store: reader }, project, match);
    },
    async begin(project, subject, by) {
      const match = await matchOfSubject(await store(), project, subject);
      if (match === undefined) return undefined;
      const report = reports.ask({ project, what: erasedKind(subject), by, askedAt: now(), match });
      await administration.record({ by, project, what: auditWords(report) });
      return report;
    },
    reports: (project) =>
      reports.all().flatMap(({ match: _, ...report }) => (report.project === project ? [report] : [])),
    hashOf: (identity) => visitorHash(identity.trim()),
    async exportVisitor(project, subject, by) {
      const reader = await store();
      const match = (await matchOfSubject(reader, project, subject)) ?? matchesNothing;
      await administration.record({ by, project, what: "exported everything of a visitor" });
      return exportMatched(reader, project, match);
    },
  };
}
