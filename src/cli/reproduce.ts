import { writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { readEnvironmentFiles } from "#build/environment-files";
import { failureLines } from "#host";
import { hasTokenFor } from "#service";
import type { Command } from "./command.ts";
import { applicationData } from "./data-folder.ts";
import { cliErrors } from "./errors.ts";
import type { PastEvent } from "./replay/past-event.ts";
import { eventFromApi, eventFromFolder, eventFromService } from "./reproduce/fetch-event.ts";
import { type Again, runAgain } from "./reproduce/run-again.ts";
import { writeTest } from "./reproduce/write-test.ts";

export const reproduceCommand: Command = {
  usage:
    "reproduce DIGEST [FOLDER] [--data DIR | --service URL [--header H]] [--field NAME=VALUE | --json TEXT] [--cookie TEXT] [--write-test FILE]",
  description: "sends the request of an event to the sources as they are now",
  options: {
    "--data DIR": "the folder that has the event; HOLDFAST_DATA, or .holdfast",
    "--service URL": "the service that has it, instead of a folder; with HOLDFAST_TOKEN or after holdfast login",
    '--header "name: value"': "for the service, as often as needed: the session that may see the event",
    "--field NAME=VALUE": "a field of the form that was posted, as often as needed; events never have them",
    "--json TEXT": "the body that was posted to an API route",
    "--cookie TEXT": "the visitor's cookies, for a page that needs a session",
    "--write-test FILE": "writes a test that sends the same request",
  },
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        data: { type: "string" },
        service: { type: "string" },
        header: { type: "string", multiple: true, default: [] },
        field: { type: "string", multiple: true, default: [] },
        json: { type: "string" },
        cookie: { type: "string" },
        "write-test": { type: "string" },
      },
    });
    const [digest, folder = "."] = positionals;
    if (digest === undefined) throw cliErrors.noDigest("");
    const root = path.resolve(folder);
    readEnvironmentFiles(root, "development");
    const dataFolder = applicationData(values.data, root);
    const event = await eventOf({ digest, dataFolder, service: values.service, headers: values.header });
    for (const line of describe(event)) terminal.print(line);

    const handedOver = { fields: values.field.map(readField), json: values.json, cookie: values.cookie };
    const testFile = values["write-test"];
    if (testFile !== undefined) {
      await writeFile(testFile, writeTest(event, handedOver));
      terminal.print(`A test was written to ${testFile}.`);
    }
    const again = await runAgain(root, event, handedOver);
    for (const line of sentences(again)) terminal.print(line);
    return exitCodes[again.kind];
  },
};

interface WantedEvent {
  readonly digest: string;
  readonly dataFolder: string;
  readonly service: string | undefined;
  readonly headers: readonly string[];
}

/** From a folder, or from a service: with a token, or else with the headers that its console takes. */
function eventOf({ digest, dataFolder, service, headers }: WantedEvent): Promise<PastEvent> {
  if (service === undefined) return eventFromFolder(dataFolder, digest);
  if (headers.length === 0 && hasTokenFor(service)) return eventFromApi(service, digest);
  return eventFromService(service, digest, readHeaders(headers));
}

const exitCodes: Readonly<Record<Again["kind"], number>> = {
  passes: 0,
  "still-fails": 1,
  "fails-otherwise": 1,
  "cannot-tell": 3,
};

function readField(text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  if (equals < 1) throw cliErrors.wrongField(text);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function describe(event: PastEvent): string[] {
  return [
    `${event.method} ${event.target}`,
    `  ${event.name}: ${event.message.split("\n", 1)[0]}, ${new Date(event.at).toISOString()}`,
  ];
}

function sentences(again: Again): string[] {
  switch (again.kind) {
    case "passes":
      return [`Passes now: answered ${again.status}.`];
    case "cannot-tell":
      return [`Cannot tell: answered ${again.status}, and ${again.why}.`];
    case "still-fails":
      return ["Still fails:", ...failureLines(again.failure, undefined), ...stack(again.failure.stack)];
    case "fails-otherwise":
      return again.failure
        ? ["Fails, but otherwise:", ...failureLines(again.failure, undefined), ...stack(again.failure.stack)]
        : [`Fails, but otherwise: answered ${again.status}.`];
  }
}

function stack(lines: readonly { function: string; file: string; line: number | undefined }[]): string[] {
  return lines.map(
    ({ function: name, file, line }) => `    at ${name} (${file}${line === undefined ? "" : `:${line}`})`,
  );
}

/** Reads `--header "cookie: session=…"`, which may be repeated. */
function readHeaders(lines: readonly string[]): Headers {
  return new Headers(
    lines.map((text): [string, string] => {
      const colon = text.indexOf(":");
      if (colon < 1) throw cliErrors.wrongHeader(text);
      return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
    }),
  );
}
