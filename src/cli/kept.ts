import { userInfo } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { readEnvironmentFiles } from "#build/environment-files";
import { type KeptOperations, readKept, startApplication } from "#host";
import type { Command } from "./command.ts";
import { applicationData } from "./data-folder.ts";
import { cliErrors } from "./errors.ts";
import { checkSentence, detailLines, runSentence, summaryLine } from "./kept/sentences.ts";
import type { Terminal } from "./terminal.ts";

export const keptCommand: Command = {
  usage: "kept list|show|run|forget [DIGEST...] [--app FOLDER] [--data DIR] [--all] [--dry-run] [--even-if-done]",
  description: "shows, runs or forgets what actions with `keeps` have kept",
  options: {
    "--app FOLDER": "the application; the current folder",
    "--data DIR": "its data folder; HOLDFAST_DATA, or .holdfast",
    "--all": "list: also those that are over; run: all that wait and have certainly not been done",
    "--dry-run": "run: checks with the current build what would run, and runs nothing",
    "--even-if-done": "run: also one that may have been done already",
  },
  run: async (args, terminal) => {
    process.env.NODE_ENV ??= "production";
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        app: { type: "string" },
        data: { type: "string" },
        all: { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
        "even-if-done": { type: "boolean", default: false },
      },
    });
    const [word = "list", ...names] = positionals;
    if (!words.has(word)) throw cliErrors.noKeptCommand(word);
    if (names.length === 0 && word !== "list" && !(word === "run" && values.all)) throw cliErrors.noKeptCode(word);
    const root = path.resolve(values.app ?? ".");
    readEnvironmentFiles(root, "production");
    const dataFolder = applicationData(values.data);
    const asked = {
      names,
      all: values.all,
      dryRun: values["dry-run"],
      evenIfUnsure: values["even-if-done"],
      place: { root, dataFolder },
    };
    if (word === "list") return list(asked, terminal);
    if (word === "show") return show(asked, terminal);
    if (word === "run") return withApplication(asked, (kept) => run(kept, asked, terminal));
    return withApplication(asked, (kept) => forget(kept, asked, terminal));
  },
};

const words = new Set(["list", "show", "run", "forget"]);

interface Asked {
  names: readonly string[];
  all: boolean;
  dryRun: boolean;
  evenIfUnsure: boolean;
  place: { root: string; dataFolder: string };
}

async function list({ all, place }: Asked, terminal: Terminal): Promise<number> {
  const kept = await readKept(place.root, place.dataFolder);
  const rows = (await kept?.list()) ?? [];
  await kept?.close();
  const shown = rows.filter(({ state }) => all || state === "failed" || state === "unsure" || state === "running");
  if (shown.length === 0) terminal.print("Nothing is kept.");
  for (const row of shown) terminal.print(summaryLine(row));
  return 0;
}

async function show({ names, place }: Asked, terminal: Terminal): Promise<number> {
  const kept = await readKept(place.root, place.dataFolder);
  let code = 0;
  for (const name of names) {
    const details = await kept?.show(name);
    if (details) for (const line of detailLines(details)) terminal.print(line);
    else {
      terminal.warn(`Nothing is kept under ${name}.`);
      code = 1;
    }
  }
  await kept?.close();
  return code;
}

/**
 * Starts the current build at an address that only this machine reaches: a handler needs what `onStart` opens, and its
 * failures are reported like those of visitors.
 */
async function withApplication({ place }: Asked, use: (kept: KeptOperations) => Promise<number>): Promise<number> {
  const server = await startApplication({
    ...{ ...place, port: 0, nextFreePort: false, host: "127.0.0.1" },
    releaseLine: "none",
    isForVisitors: false,
  });
  try {
    return await use(server.kept);
  } finally {
    await server.stop();
  }
}

async function run(kept: KeptOperations, asked: Asked, terminal: Terminal): Promise<number> {
  const { dryRun, evenIfUnsure } = asked;
  const names = asked.all ? await waiting(kept, evenIfUnsure) : asked.names;
  let code = 0;
  for (const name of names) {
    const done = dryRun ? await kept.check(name) : await kept.run(name, { by: operator(), evenIfUnsure });
    const isGood = done.kind === "ready" || done.kind === "done";
    const sentence = `${name}  ${done.kind === "done" || done.kind === "failed" ? runSentence(done) : checkSentence(done)}`;
    if (isGood) terminal.print(sentence);
    else {
      terminal.warn(sentence);
      code = 1;
    }
  }
  if (names.length === 0) terminal.print("Nothing waits to be run.");
  return code;
}

async function waiting(kept: KeptOperations, evenIfUnsure: boolean): Promise<string[]> {
  const rows = await kept.list();
  return rows
    .filter(({ state }) => state === "failed" || (evenIfUnsure && state === "unsure"))
    .map(({ digest }) => digest);
}

async function forget(kept: KeptOperations, { names }: Asked, terminal: Terminal): Promise<number> {
  let code = 0;
  for (const name of names) {
    if (await kept.forget(name, operator())) terminal.print(`${name}  forgotten`);
    else {
      terminal.warn(`${name}  nothing is kept under it, or it is running`);
      code = 1;
    }
  }
  return code;
}

function operator(): string {
  return `${userInfo().username} (command line)`;
}
