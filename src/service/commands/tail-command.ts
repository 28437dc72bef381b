import { setTimeout as wait } from "node:timers/promises";
import { plainLine } from "#errors";
import { digestOf } from "#protocol";
import type { ApiLive } from "../api/operations/insight-operations.ts";
import type { AsJson } from "../api/schema/as-json.ts";
import { systemClock } from "../clock.ts";
import { openReader } from "../open-reader.ts";
import { live } from "../queries/live.ts";
import type { LiveRecord } from "../stores/records.ts";
import {
  type CommandOutput,
  dataFolderOf,
  dataOption,
  projectIn,
  projectOption,
  readArguments,
  type ServiceCommand,
} from "./command.ts";
import { remoteIn, serviceOption } from "./remote/open-remote.ts";

const usage = "tail [--project N] [--data FOLDER | --service URL] [--json]";

/** As often as Live of the console. A question takes milliseconds. */
const everyMs = 1_000;

/** Prints what arrives, until it is stopped. */
export const tailCommand: ServiceCommand = {
  usage,
  options: { ...projectOption, ...dataOption, ...serviceOption, "--json": "one JSON object per line, for programs" },
  description: "prints errors, requests and log lines as they arrive",
  async run(args, output) {
    const known = { data: "text", service: "text", project: "text", json: "switch" } as const;
    const { options } = readArguments(args, known, usage);
    const project = projectIn(options, usage);
    const remote = remoteIn(options);
    const stopped = new AbortController();
    process.once("SIGINT", () => stopped.abort());
    const isJson = options.json === true;
    if (remote) {
      const ask = (after?: number) =>
        remote.call("GET /projects/{project}/live", { params: { project }, query: { after } });
      await tail({ ask, output, isJson, signal: stopped.signal });
      return 0;
    }
    const store = await openReader(dataFolderOf(options));
    try {
      const ask = (after?: number) => live({ store, now: systemClock.now() }, { project, after });
      await tail({ ask, output, isJson, signal: stopped.signal });
      return 0;
    } finally {
      store.close();
    }
  },
};

/** A record of the store, or as a client gets it. */
type PrintedRecord = LiveRecord | AsJson<ApiLive>["records"][number];

export interface TailDeps {
  readonly ask: (
    after?: number,
  ) => Promise<{ readonly records: readonly PrintedRecord[]; readonly after?: number | undefined }>;
  readonly output: Pick<CommandOutput, "print">;
  readonly isJson: boolean;
  readonly signal: AbortSignal;
}

/** The newest records first, then each as it arrives. */
export async function tail({ ask, output, isJson, signal }: TailDeps): Promise<void> {
  for (let after: number | undefined; !signal.aborted; ) {
    const answer = await ask(after);
    for (const record of answer.records) output.print(isJson ? JSON.stringify(record) : recordLine(record));
    after = answer.after;
    await wait(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

function recordLine(record: PrintedRecord): string {
  return plainLine(`${new Date(record.at).toISOString()}  ${recordWords(record)}`);
}

function recordWords(record: PrintedRecord): string {
  switch (record.kind) {
    case "event":
      return `${record.level.padEnd(7)}  ${record.title}  ${record.route ?? ""}  ${digestOf(record.eventId)}`;
    case "segment":
      return `${record.segment.padEnd(7)}  ${record.route}  ${record.status}  ${Math.round(record.durationMs)} ms`;
    case "log":
      return `${record.line.level.padEnd(7)}  ${record.line.body}`;
  }
}
