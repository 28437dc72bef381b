import { digestOf, readDigest } from "#protocol";
import { systemClock } from "../clock.ts";
import { openReader } from "../open-reader.ts";
import type { TraceLine } from "../queries/assemble-trace.ts";
import { type TraceAnswer, traceById } from "../queries/trace.ts";
import {
  dataFolderOf,
  dataOption,
  projectIn,
  projectOption,
  readArguments,
  type ServiceCommand,
  wrongUse,
} from "./command.ts";
import { remoteIn, serviceOption, unlessUnknown } from "./remote/open-remote.ts";

const usage = "trace TRACE-ID [--project N] [--data FOLDER | --service URL] [--json]";

/** Prints a trace as a tree, whether the service runs or not. */
export const traceCommand: ServiceCommand = {
  usage,
  options: { ...projectOption, ...dataOption, ...serviceOption, "--json": "the trace as it is kept, for programs" },
  description: "prints the spans and errors of a trace as a tree",
  async run(args, { print }) {
    const known = { data: "text", service: "text", project: "text", json: "switch" } as const;
    const { options, rest } = readArguments(args, known, usage);
    const id = (rest[0] ?? "").toLowerCase();
    if (!/^[0-9a-f]{32}$/.test(id))
      throw wrongUse(
        readDigest(rest[0] ?? "") === undefined
          ? `"${rest[0] ?? ""}" is no id of a trace, which has 32 characters.`
          : "This is a digest of an event. `holdfast event` prints the event with the id of its trace.",
        usage,
      );
    const project = projectIn(options, usage);
    const remote = remoteIn(options);
    const trace = remote
      ? await unlessUnknown(remote.call("GET /projects/{project}/traces/{id}", { params: { project, id } }))
      : await traceInFolder(dataFolderOf(options), project, id);
    if (trace === undefined) {
      print(`There is no trace ${id}.`);
      return 1;
    }
    if (options.json === true) print(JSON.stringify(trace, undefined, 2));
    else for (const line of traceLines(trace)) print(line);
    return 0;
  },
};

async function traceInFolder(folder: string, project: number, id: string): Promise<TraceAnswer | undefined> {
  const store = await openReader(folder);
  try {
    return await traceById({ store, now: systemClock.now() }, project, id);
  } finally {
    store.close();
  }
}

/** What is printed of a trace. */
export interface PrintedTrace extends Pick<TraceAnswer, "startMs"> {
  readonly lines: readonly (Pick<TraceLine, "depth" | "durationMs" | "isFailed"> & {
    readonly span: Pick<TraceLine["span"], "name" | "startMs">;
  })[];
  readonly errors: readonly { readonly eventId: string; readonly at: number; readonly title?: string | undefined }[];
  readonly logs: readonly unknown[];
}

/** When each span began, how long it took, and what it was, below its parent. */
export function traceLines({ lines, startMs, errors, logs }: PrintedTrace): readonly string[] {
  return [
    ...lines.map(({ span, depth, durationMs, isFailed }) => {
      const began = `+${Math.round(span.startMs - startMs)} ms`.padStart(10);
      const took = `${Math.round(durationMs)} ms`.padStart(9);
      return `${began} ${took}  ${"  ".repeat(depth)}${span.name}${isFailed ? "  failed" : ""}`;
    }),
    ...errors.map(({ eventId, at, title = "an error" }) => {
      const when = `+${Math.round(at - startMs)} ms`.padStart(10);
      return `${when}     error  ${title}  ${digestOf(eventId)}`;
    }),
    ...(logs.length > 0 ? [`${logs.length} log lines, with --json`] : []),
  ];
}
