import type { Frame, ReportedEvent } from "#protocol";
import { mainException } from "../grouping/main-exception.ts";
import type { Commit, IssueRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { commitsSince } from "./releases.ts";

/** A commit that may have caused an issue. */
export interface SuspectCommit {
  readonly commit: Commit;
  /** The file of the stack that it touches. */
  readonly file: string;
  readonly release: string;
}

/**
 * Names the commit that probably caused an issue: of those between the release in which it was first seen and the one
 * before, the newest that touches the file nearest to the failing line. Undefined if the commits are not known.
 */
export async function suspectCommit(
  store: StoreReader,
  { project, firstRelease }: IssueRecord,
  event: ReportedEvent,
): Promise<SuspectCommit | undefined> {
  if (firstRelease === undefined) return undefined;
  const since = await commitsSince(store, project, firstRelease);
  if (since.kind !== "since") return undefined;
  for (const file of ownFiles(mainException(event)?.frames ?? event.frames ?? [])) {
    const commit = since.commits.find(({ files = [] }) => files.some((touched) => isSameFile(touched, file)));
    if (commit !== undefined) return { commit, file, release: firstRelease };
  }
  return undefined;
}

/** Files of the application, innermost first. */
function ownFiles(frames: readonly Frame[]): ReadonlySet<string> {
  const files = frames.toReversed().flatMap(({ inApp, filename }) => (inApp === true && filename ? [filename] : []));
  return new Set(files.map((file) => file.replace(/^(?:[\w-]+:\/\/)?(?:\.?\/)+/, "")));
}

/** One of the paths may begin further up: that of a stack at the folder of the application, that of git at its root. */
function isSameFile(touched: string, file: string): boolean {
  return touched === file || touched.endsWith(`/${file}`) || file.endsWith(`/${touched}`);
}
