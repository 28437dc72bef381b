import { appendFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { readEnvironmentFiles } from "#build/environment-files";
import { messageOf } from "#errors";
import type { Command } from "./command.ts";
import { applicationData } from "./data-folder.ts";
import { cliErrors } from "./errors.ts";
import { runGate } from "./gate/run-gate.ts";
import { reportLines, reportMarkdown } from "./gate/write-report.ts";

/** A program that deploys distinguishes a build that must not be deployed from a gate that has seen nothing. */
const exitCodes = { passed: 0, stopped: 1, couldNotRun: 2 } as const;

export const gateCommand: Command = {
  usage: "gate [FOLDER] [--data DIR] [--project N] [--writes] [--json] [--summary FILE]",
  description: "replays the requests of known issues against the build, before it takes traffic",
  options: {
    "--data DIR": "the folder with the issues; HOLDFAST_DATA, or .holdfast",
    "--project N": "the project of the application; 1",
    "--writes": "also sends requests that change something; only where HOLDFAST_SANDBOX=1",
    "--json": "for programs",
    "--summary FILE": "appends the result as Markdown",
  },
  run: async (args, terminal) => {
    process.env.NODE_ENV ??= "production";
    endWithParent();
    try {
      const asked = readAsked(args);
      const report = await runGate(asked);
      if (asked.isJson) terminal.print(JSON.stringify(report, undefined, 2));
      else for (const line of reportLines(report)) terminal.print(line);
      if (asked.summary !== undefined) await appendFile(asked.summary, reportMarkdown(report));
      return end(exitCodes[report.verdict]);
    } catch (error) {
      terminal.warn(`The gate could not run: ${messageOf(error)}`);
      return end(exitCodes.couldNotRun);
    }
  },
};

type Asked = Parameters<typeof runGate>[0] & { isJson: boolean; summary: string | undefined };

function readAsked(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      data: { type: "string" },
      project: { type: "string", default: "1" },
      writes: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      summary: { type: "string" },
    },
  });
  const root = path.resolve(positionals[0] ?? ".");
  readEnvironmentFiles(root, "production");
  if (values.writes && process.env.HOLDFAST_SANDBOX !== "1") throw cliErrors.gateWithoutSandbox();
  const project = Number(values.project);
  if (!Number.isInteger(project) || project < 1) throw cliErrors.wrongProject(values.project);
  return {
    root,
    dataFolder: applicationData(values.data),
    isDataNamed: values.data !== undefined,
    project,
    writes: values.writes,
    isJson: values.json,
    summary: values.summary,
  };
}

/** `holdfast start --gate` runs this command with a channel. */
function endWithParent(): void {
  if (!process.channel) return;
  process.once("disconnect", () => process.exit(exitCodes.couldNotRun));
  process.channel.unref();
}

/** What the application leaves open, such as a timer, must not keep the process alive. */
const lingerMs = 1_000;

function end(code: number): number {
  setTimeout(() => process.exit(code), lingerMs).unref();
  return code;
}
