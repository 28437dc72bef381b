import type { Access } from "../accounts/access.ts";
import { type Administration, openAdministration } from "../administration/administration.ts";
import { type BoundAll, bindFirst } from "../bind-first.ts";
import { type Clock, systemClock } from "../clock.ts";
import { openReader } from "../open-reader.ts";
import type { Service } from "../open-service.ts";
import type { Project } from "../projects.ts";
import { issueIdOf } from "../queries/issue.ts";
import type { QueryContext } from "../queries/query-context.ts";
import { type DiskUse, diskUseOf } from "../retention/disk-use.ts";
import type { GoneRecord, IssueChange, PartitionRecord, StoreReader } from "../stores/store.ts";
import * as questions from "./questions.ts";

/** The queries without their first parameter. */
export type Questions = BoundAll<QueryContext, typeof questions>;

/**
 * Everything the console may ask and do. Each question names its project; an issue or event of another project is as
 * unknown as one that never existed.
 */
export interface ConsoleApi extends Questions {
  readonly access: Access;
  /** What owners decide. */
  readonly administration: Administration;
  now(): number;
  projects(): readonly Project[];
  /** What everything takes on the disk, and what had to go. */
  storage(): Promise<Storage>;
  /** Returns when everything that was reported so far is filed, as far as this process knows of it. */
  settled(): Promise<void>;
  /** By the numbers people see. Returns how many issues changed. */
  change(project: number, numbers: readonly number[], change: NumberedChange, by: string): Promise<number>;
  close(): void;
}

export interface Storage {
  /** The files with events, newest first. */
  readonly files: readonly PartitionRecord[];
  readonly use: DiskUse;
  readonly sourceMapBytes: number;
  readonly gone: readonly GoneRecord[];
}

/** As the store has it, but issues are named by their numbers. */
export type NumberedChange = Exclude<IssueChange, { kind: "merge" }> | { kind: "merge"; intoNumber: number };

export interface ConsoleApiOptions {
  /** The service that writes; without one, everything can be seen and nothing changed. */
  service: Pick<Service, "projects" | "change" | "drained">;
  /** Returns when what this process has reported so far is with the service. */
  delivered?: () => Promise<void>;
  dataFolder: string;
  access: Access;
  clock?: Clock;
}

export function openConsoleApi(options: ConsoleApiOptions): ConsoleApi {
  const { service, delivered, dataFolder, access, clock = systemClock } = options;
  let opened: StoreReader | undefined;
  /** Opened by the first question: until then the service may not have made its files. */
  const store = (): StoreReader => {
    opened ??= openReader(dataFolder);
    return opened;
  };
  return {
    ...bindFirst((): QueryContext => ({ store: store(), now: clock.now() }), questions),
    access,
    administration: openAdministration({ dataFolder, projects: () => service.projects, now: () => clock.now() }),
    now: () => clock.now(),
    projects: () => service.projects.all,
    async storage() {
      const [files, sourceMapBytes, gone] = await Promise.all([
        store().partitions(),
        store().sourceMapBytes(),
        store().gone(),
      ]);
      return { files, use: diskUseOf(dataFolder), sourceMapBytes, gone };
    },
    async settled() {
      await delivered?.();
      await service.drained();
    },
    async change(project, numbers, change, by) {
      const idOf = (number: number) => issueIdOf(store(), project, number);
      const ids = (await Promise.all(numbers.map(idOf))).filter((id) => id !== undefined);
      const written = change.kind === "merge" ? mergeOf(await idOf(change.intoNumber)) : change;
      if (written === undefined || ids.length === 0) return 0;
      return (await service.change(project, ids, written, by)).length;
    },
    close: () => opened?.close(),
  };
}

function mergeOf(into: number | undefined): IssueChange | undefined {
  return into === undefined ? undefined : { kind: "merge", into };
}
