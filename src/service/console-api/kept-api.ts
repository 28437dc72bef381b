import { setTimeout as wait } from "node:timers/promises";
import { readDigest } from "#protocol";
import type { Administration } from "../administration/administration.ts";
import { Scrubber } from "../filing/scrub.ts";
import { issueIdOf } from "../queries/issue.ts";
import type { StoreReader } from "../stores/store.ts";

/** As the application stores it. `unsure`: it may have been done already. The last three have no content any more. */
type State = "running" | "failed" | "unsure" | "done" | "forgotten" | "expired";

/** A submission that an application has kept, without its content. */
interface Head {
  id: string;
  /** The code that its visitor read. */
  digest: string;
  /** Of its last failure, if it has been run again. */
  lastDigest: string | undefined;
  state: State;
  keptAt: Date;
  changedAt: Date;
  by: string | undefined;
  runs: number;
  bytes: number;
}

/** Fields have their secrets removed by the rules of the application. */
interface Whole extends Head {
  of: { route: string; action: string } | undefined;
  unreadable: "other-key" | "damaged" | undefined;
  fields: readonly (readonly [name: string, value: string])[];
  files: readonly { field: string; name: string; type: string; size: number }[];
}

type NotRun =
  | { kind: "unknown" }
  | { kind: "not-waiting"; state: State }
  | { kind: "unsure" }
  | { kind: "other-key" }
  | { kind: "damaged" }
  | { kind: "no-action"; route: string; action: string }
  | { kind: "invalid"; messages: readonly string[] };

type Check = NotRun | { kind: "ready"; isUnsure: boolean; route: string; action: string };
type Run = NotRun | { kind: "done" } | { kind: "failed"; digest: string; message: string };

/** How the application of this process handles what it has kept. Names are codes or ids. */
export interface KeptSource {
  heads(): Promise<readonly Head[]>;
  show(name: string): Promise<Whole | undefined>;
  check(name: string): Promise<Check>;
  run(name: string, by: RunOrder): Promise<Run>;
  forget(name: string, by: string): Promise<boolean>;
}

interface RunOrder {
  by: string;
  evenIfUnsure: boolean;
}

/** Where the event of a kept submission is. */
interface Place {
  eventId: string;
  issue: number;
}

/** `running`: it has not ended yet, and ends later. `not-begun`: the time was up before its turn. */
type Result = { digest: string } & (Check | Run | { kind: "running" } | { kind: "not-begun" });

/** What people see of the submissions that a project's application has kept, and do with them. */
export interface KeptApi {
  /** How many wait for a decision. */
  waiting(): Promise<number>;
  /** The newest first. */
  list(question: KeptQuestion): Promise<KeptList>;
  show(name: string): Promise<(Whole & { place: Place | undefined }) | undefined>;
  /** Checks each with the current build, and runs nothing. */
  check(names: readonly string[]): Promise<readonly Result[]>;
  /** Runs one after another. Each run is in the audit log with its end. */
  run(names: readonly string[], order: RunOrder): Promise<readonly Result[]>;
  /** Resolves with whether it was waiting. */
  forget(name: string, by: string): Promise<boolean>;
}

export interface KeptQuestion {
  /** Those whose event is in this issue. */
  issue?: number | undefined;
  /** Also those that are over. */
  all?: boolean;
  limit: number;
}

export interface KeptList {
  entries: readonly (Whole & { place: Place | undefined })[];
  total: number;
  /** Those that have certainly not been done, so that they may run without a further look. */
  runnable: readonly { id: string; keptAt: number }[];
}

export interface KeptApiDeps {
  project: number;
  source: () => KeptSource;
  store: () => Promise<StoreReader>;
  administration: Pick<Administration, "record" | "settings">;
  /** After it, a run is left to end by itself, and no other is begun: a browser waits for the answer. */
  answerMs?: number;
}

const usualAnswerMs = 20_000;

export function openKeptApi(deps: KeptApiDeps): KeptApi {
  const { project, source, store, administration, answerMs = usualAnswerMs } = deps;
  const placeOf = async (digest: string): Promise<{ eventId: string; issueId: number } | undefined> => {
    const prefix = readDigest(digest);
    const event = prefix === undefined ? undefined : await (await store()).event(project, prefix);
    return event && { eventId: event.eventId, issueId: event.issue };
  };
  const withPlace = async (whole: Whole): Promise<Whole & { place: Place | undefined }> => {
    const place = await placeOf(whole.digest);
    const issue = place && (await (await store()).issue(project, { id: place.issueId }));
    const { fields, files } = cleaned(whole, new Scrubber(administration.settings().scrub));
    return { ...whole, fields, files, place: issue && { eventId: place.eventId, issue: issue.number } };
  };
  const headsOf = async ({ issue, all }: KeptQuestion): Promise<readonly Head[]> => {
    const heads = (await source().heads()).filter((head) => all || isWaiting(head));
    heads.sort((one, other) => other.keptAt.getTime() - one.keptAt.getTime());
    if (issue === undefined || heads.length === 0) return heads;
    const wanted = await issueIdOf(await store(), project, issue);
    const places = await Promise.all(heads.map(({ digest }) => placeOf(digest)));
    return heads.filter((_, index) => wanted !== undefined && places[index]?.issueId === wanted);
  };
  const record = async (digest: string, run: Run, by: string): Promise<void> => {
    const end = run.kind === "done" ? "done" : run.kind === "failed" ? `failed as ${run.digest}` : undefined;
    if (end) await administration.record({ by, project, what: `ran the kept submission ${digest} again: ${end}` });
  };
  /** Calls for one after another while there is time. */
  const each = async (
    names: readonly string[],
    call: (head: Head) => Promise<Check | Run>,
  ): Promise<readonly Result[]> => {
    const heads = new Map(
      (await source().heads()).flatMap((head) => [head.id, head.digest].map((name) => [name, head])),
    );
    const timer = new AbortController();
    const late = wait(answerMs, "late" as const, { signal: timer.signal, ref: false });
    late.catch(() => undefined);
    const results: Result[] = [];
    let isLate = false;
    for (const name of names) {
      const head = heads.get(name);
      if (head === undefined) results.push({ digest: name, kind: "unknown" });
      else if (isLate) results.push({ digest: head.digest, kind: "not-begun" });
      else {
        const end = await Promise.race([call(head), late]);
        isLate = end === "late";
        results.push({ digest: head.digest, ...(end === "late" ? { kind: "running" as const } : end) });
      }
    }
    timer.abort();
    return results;
  };
  return {
    waiting: async () => (await source().heads()).filter(isWaiting).length,
    list: async (question) => {
      const heads = await headsOf(question);
      const shown = await Promise.all(heads.slice(0, question.limit).map(({ id }) => source().show(id)));
      return {
        entries: await Promise.all(shown.filter((one) => one !== undefined).map(withPlace)),
        total: heads.length,
        runnable: heads
          .filter(({ state }) => state === "failed")
          .map(({ id, keptAt }) => ({ id, keptAt: keptAt.getTime() })),
      };
    },
    show: async (name) => {
      const found = await source().show(name);
      return found && withPlace(found);
    },
    check: (names) => each(names, ({ id }) => source().check(id)),
    run: (names, order) =>
      each(names, async ({ id, digest }) => {
        const run = await source().run(id, order);
        await record(digest, run, order.by);
        return run;
      }),
    forget: async (name, by) => {
      const found = await source().show(name);
      if (!found || !(await source().forget(found.id, by))) return false;
      await administration.record({ by, project, what: `forgot the kept submission ${found.digest}` });
      return true;
    },
  };
}

function isWaiting({ state }: Head): boolean {
  return state === "failed" || state === "unsure" || state === "running";
}

/** Removes what the service removes from reports, too. */
function cleaned({ fields, files }: Whole, scrubber: Scrubber): Pick<Whole, "fields" | "files"> {
  return {
    fields: fields.map(([name, value]) => [name, String(scrubber.named({ [name]: value })[name])]),
    files: files.map((file) => ({ ...file, name: scrubber.text(file.name) })),
  };
}
