import path from "node:path";
import { parseArgs } from "node:util";
import { type Finding, findings } from "./doctor/findings.ts";
import { readEnvironmentFile, readPort } from "./serving.ts";

const marks: Readonly<Record<Finding["kind"], string>> = { good: "✓", notice: "!", bad: "✗" };

export const doctorCommand = {
  says: "[FOLDER] [--data DIR] [--port N] [--json]  looks whether everything an application needs is in order",
  run: async (args: readonly string[]): Promise<number> => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { data: { type: "string" }, port: { type: "string" }, json: { type: "boolean" } },
    });
    const root = path.resolve(positionals[0] ?? ".");
    readEnvironmentFile(root);
    const found = await findings({
      root,
      dataFolder: path.resolve(values.data ?? process.env.HOLDFAST_DATA ?? path.join(root, ".holdfast")),
      port: readPort(values.port ?? process.env.PORT ?? "3000"),
    });
    const bad = found.filter(({ kind }) => kind === "bad").length;
    if (values.json) console.log(JSON.stringify(found, undefined, 2));
    else {
      for (const { kind, about, says } of found) console.log(`${marks[kind]} ${about.padEnd(12)} ${says}`);
      console.log(bad === 0 ? "\nEverything needed is in order." : `\n${bad} of ${found.length} not in order.`);
    }
    return bad === 0 ? 0 : 1;
  },
};
