import path from "node:path";
import { parseArgs } from "node:util";
import { readEnvironmentFiles } from "#build/environment-files";
import type { Command } from "./command.ts";
import { applicationData } from "./data-folder.ts";
import type { DoctorFinding } from "./doctor/finding.ts";
import { findings } from "./doctor/findings.ts";
import { readPort } from "./serving.ts";

const marks: Readonly<Record<DoctorFinding["kind"], string>> = { good: "✓", notice: "!", bad: "✗" };

export const doctorCommand: Command = {
  usage: "doctor [FOLDER] [--data DIR] [--port N] [--thorough] [--json]",
  description: "checks everything that an application needs",
  options: {
    "--data DIR": "folder for reports and uploads; HOLDFAST_DATA, or .holdfast",
    "--port N": "the port that should be free; PORT, or 3000",
    "--thorough": "checks all stored events, however long it takes; otherwise the newest, for 10 seconds",
    "--json": "for programs",
  },
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        data: { type: "string" },
        port: { type: "string" },
        thorough: { type: "boolean", default: false },
        json: { type: "boolean" },
      },
    });
    const root = path.resolve(positionals[0] ?? ".");
    readEnvironmentFiles(root, "production");
    const found = await findings({
      root,
      dataFolder: applicationData(values.data, root),
      port: readPort(values.port ?? process.env.PORT ?? "3000"),
      store: { thorough: values.thorough, now: () => performance.now(), progress: terminal.warn },
    });
    const bad = found.filter(({ kind }) => kind === "bad").length;
    if (values.json) terminal.print(JSON.stringify(found, undefined, 2));
    else {
      for (const { kind, about, message } of found) terminal.print(`${marks[kind]} ${about.padEnd(12)} ${message}`);
      terminal.print(bad === 0 ? "\nEverything needed is in order." : `\n${bad} of ${found.length} not in order.`);
    }
    return bad === 0 ? 0 : 1;
  },
};
