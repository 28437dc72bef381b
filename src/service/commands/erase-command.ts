import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { HoldfastError, messageOf } from "#errors";
import { isObject } from "#protocol";
import { systemClock } from "../clock.ts";
import { type ErasureReport, ErasureReports, erasedKind, erasedWords } from "../erasures/erasure-reports.ts";
import { type ErasureSubject, matchesOfMarks, matchOfSubject } from "../erasures/erasure-subject.ts";
import { Erasures } from "../erasures/erasures.ts";
import { exportMatched } from "../erasures/export-visitor.ts";
import { type FolderLock, lockFolder } from "../journal/folder-lock.ts";
import { openReader } from "../open-reader.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import type { ErasureMark } from "../stores/erase/erasure.ts";
import { foreseeErasure } from "../stores/erase/run-erasure.ts";
import { openStore } from "../stores/open-store.ts";
import type { StoreReader } from "../stores/store.ts";
import { storeAddressOf } from "../stores/store-address.ts";
import {
  type CommandOutput,
  dataFolderOf,
  dataOption,
  readArguments,
  type ServiceCommand,
  wrongUse,
} from "./command.ts";

const usage =
  "erase --event ID|--issue N|--visitor WHO|--everything [--project N] [--yes|--export] | --marks | --again FILE [--data FOLDER]";

const by = "holdfast erase";
/** How often the report of a running service is looked at. */
const lookMs = 200;

/** Forgets what is named, whether the service runs or not. Without `--yes` it only says what would be removed. */
export const eraseCommand: ServiceCommand = {
  usage,
  options: {
    "--event ID": "one event, by its id or digest",
    "--issue N": "an issue with all its events, by its number",
    "--visitor WHO": "everything of one visitor, by id, e-mail address or IP address",
    "--everything": "everything of the project, and the project",
    "--project N": "the number of the project; 1",
    "--yes": "removes it; without it, the command says what would be removed",
    "--export": "prints everything of the visitor as lines of JSON, and removes nothing",
    "--marks": "prints what was erased so far, as hashes, to keep beside backups",
    "--again FILE": "erases again what these marks name, after an older backup was restored",
    ...dataOption,
  },
  description: "forgets an event, an issue, a project or a visitor",
  async run(args, output) {
    const { options } = readArguments(
      args,
      {
        event: "text",
        issue: "text",
        visitor: "text",
        everything: "switch",
        project: "text",
        yes: "switch",
        export: "switch",
        marks: "switch",
        again: "text",
        data: "text",
      },
      usage,
    );
    const dataFolder = dataFolderOf(options);
    const store = await openReader(dataFolder);
    try {
      if (options.marks === true) {
        output.print(JSON.stringify(await store.erasureMarks()));
        return 0;
      }
      if (typeof options.again === "string") return await eraseAgain(dataFolder, readMarks(options.again), output);
      const project = Number(options.project ?? 1);
      const subject = subjectOf(options);
      if (options.export === true) return await exportAll(store, project, subject, output);
      return await eraseSubject({ dataFolder, store, project, subject, isMeant: options.yes === true }, output);
    } finally {
      store.close();
    }
  },
};

function subjectOf({ event, issue, visitor, everything }: Readonly<Record<string, unknown>>): ErasureSubject {
  const subjects: ErasureSubject[] = [
    ...(typeof event === "string" ? [{ kind: "event", id: event } as const] : []),
    ...(typeof issue === "string" ? [{ kind: "issue", number: Number(issue.replace("#", "")) } as const] : []),
    ...(typeof visitor === "string" ? [{ kind: "visitor", identity: visitor } as const] : []),
    ...(everything === true ? [{ kind: "project" } as const] : []),
  ];
  const [only, ...others] = subjects;
  if (only === undefined || others.length > 0)
    throw wrongUse("Name one of --event, --issue, --visitor and --everything.", usage);
  return only;
}

async function exportAll(
  store: StoreReader,
  project: number,
  subject: ErasureSubject,
  { print }: CommandOutput,
): Promise<number> {
  const match = await matchOfSubject(store, project, subject);
  if (match !== undefined) for await (const line of exportMatched(store, project, match)) print(line.trimEnd());
  return 0;
}

interface EraseRequest {
  readonly dataFolder: string;
  readonly store: StoreReader;
  readonly project: number;
  readonly subject: ErasureSubject;
  readonly isMeant: boolean;
}

async function eraseSubject(request: EraseRequest, { print, warn }: CommandOutput): Promise<number> {
  const { dataFolder, store, project, subject, isMeant } = request;
  const match = await matchOfSubject(store, project, subject);
  if (match === undefined) {
    warn("There is no such event or issue.");
    return 1;
  }
  if (!isMeant) {
    const found = erasedWords(await foreseeErasure({ store }, project, match));
    if (match.all) print(`This would remove the project with its keys, and ${found} in it. Add --yes to remove it.`);
    else if (found === "nothing") print("Nothing of it is stored.");
    else print(`This would remove ${found}. Add --yes to remove it.`);
    return 0;
  }
  const reports = new ErasureReports(dataFolder);
  const asked = reports.ask({ project, what: erasedKind(subject), by, askedAt: systemClock.now(), match });
  const { removed } = await executed(dataFolder, asked.id);
  print(`Removed ${erasedWords(removed)}.`);
  return 0;
}

async function eraseAgain(
  dataFolder: string,
  marks: readonly ErasureMark[],
  { print }: CommandOutput,
): Promise<number> {
  const reports = new ErasureReports(dataFolder);
  const asked = [...matchesOfMarks(marks)].map(([project, match]) =>
    reports.ask({ project, what: "again", by, askedAt: systemClock.now(), match }),
  );
  for (const { id, project } of asked)
    print(`Project ${project}: removed ${erasedWords((await executed(dataFolder, id)).removed)}.`);
  return 0;
}

function readMarks(file: string): readonly ErasureMark[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (Array.isArray(value) && value.every(isMark)) return value;
    throw new Error("It has no list of marks");
  } catch (error) {
    throw new HoldfastError(
      "service-marks-unreadable",
      `${file} has no marks of erasures: ${messageOf(error)}.`,
      "Name a file that `holdfast erase --marks` has printed.",
    );
  }
}

function isMark(value: unknown): value is ErasureMark {
  return (
    isObject(value) &&
    [value.project, value.hash, value.at].every(Number.isSafeInteger) &&
    typeof value.kind === "string"
  );
}

/** Resolves with the report. The service executes it if it runs, else this process does. */
async function executed(dataFolder: string, id: string): Promise<ErasureReport> {
  const reports = new ErasureReports(dataFolder);
  for (;;) {
    const report = reports.read(id);
    if (report?.state === "done") return report;
    if (report?.state === "failed" && report.why !== undefined)
      throw new HoldfastError(
        "service-erasure-failed",
        `The erasure could not be finished: ${report.why}`,
        "It is tried again while the service runs. Look at its log, then run the command again.",
      );
    const lock = lockIfFree(dataFolder);
    if (lock === undefined) await wait(lookMs);
    else await executeHere(dataFolder, lock);
  }
}

function lockIfFree(dataFolder: string): FolderLock | undefined {
  try {
    return lockFolder(dataFolder);
  } catch {
    return undefined;
  }
}

async function executeHere(dataFolder: string, lock: FolderLock): Promise<void> {
  const shared = await openSharedState(dataFolder);
  const store = await openStore(storeAddressOf(dataFolder));
  const erasures = new Erasures({
    dataFolder,
    shared,
    openReader: () => openReader(dataFolder),
    erase: (step) => store.erase(step),
    now: () => systemClock.now(),
    onFault: () => undefined,
  });
  try {
    await erasures.run();
  } finally {
    await erasures.close();
    store.close();
    await shared.close();
    lock.release();
  }
}
