import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { errorOf } from "#errors";
import { ownProject } from "#host";
import { readDigest } from "#protocol";
import {
  findKnownIssue,
  type IssueToReplay,
  openReader,
  type SeenFailure,
  type StoreReader,
  systemClock,
} from "#service";
import type { ReplayFailure } from "./decide.ts";

/** An error of the new build, as its server has caught it. */
export interface CaughtError {
  readonly error: unknown;
  /** Undefined if its report was left out. */
  readonly digest: string | undefined;
}

/** Filing takes milliseconds. It waits for the source maps of the build, which take some seconds on a slow machine. */
const filedWithinMs = 20_000;
const pollMs = 50;

/** Reads how the private service has filed the errors of the new build. */
export async function readFiledFailures(
  dataFolder: string,
  caught: readonly CaughtError[],
): Promise<Map<CaughtError, SeenFailure>> {
  const filed = new Map<CaughtError, SeenFailure>();
  if (caught.length === 0) return filed;
  const store = await openReader(path.join(dataFolder, "data"), "");
  const endsAt = systemClock.elapsed() + filedWithinMs;
  try {
    for (const one of caught) filed.set(one, (await filedAs(store, one.digest, endsAt)) ?? asThrown(one.error));
    return filed;
  } finally {
    store.close();
  }
}

async function filedAs(
  store: StoreReader,
  digest: string | undefined,
  endsAt: number,
): Promise<SeenFailure | undefined> {
  const prefix = digest === undefined ? undefined : readDigest(digest);
  if (prefix === undefined) return undefined;
  for (;;) {
    const event = await store.event(ownProject, prefix);
    const issue = event && (await store.issue(ownProject, { id: event.issue }));
    if (issue) return { type: issue.type, title: issue.title, groups: await store.groupsOf(ownProject, issue.id) };
    if (systemClock.elapsed() > endsAt) return undefined;
    await wait(pollMs);
  }
}

/** For an error that the application's settings leave out of reports. */
function asThrown(thrown: unknown): SeenFailure {
  const { name, message } = errorOf(thrown);
  return { type: name, title: message.split("\n", 1)[0] ?? "", groups: [] };
}

/** Finds the known issue that a failure belongs to. */
export async function attributeFailure(
  store: StoreReader,
  failure: SeenFailure,
  replayed: IssueToReplay,
  question: { project: number; release: string | undefined; atMost: number },
): Promise<ReplayFailure> {
  const known = await findKnownIssue({ store, now: systemClock.now() }, failure, replayed, question);
  return {
    title: failure.type === undefined ? failure.title : `${failure.type}: ${failure.title}`,
    belongsTo: known && { number: known.issue.number, claim: known.claim },
  };
}
