import { parseArgs } from "node:util";
import { type RouteFacts, readApplication, routeFacts } from "#build";
import type { Command } from "./command.ts";

export const routesCommand: Command = {
  usage: "routes [FOLDER] [--at PATH] [--json]",
  description: "lists the application's routes and the files behind them",
  options: { "--at PATH": "the path below which the application lives", "--json": "for programs" },
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { at: { type: "string" }, json: { type: "boolean" } },
    });
    const routes = routeFacts(await readApplication(positionals[0] ?? ".", values.at));
    terminal.print(values.json ? JSON.stringify(routes, undefined, 2) : table(routes));
    return 0;
  },
};

function table(routes: readonly RouteFacts[]): string {
  if (routes.length === 0) return "There are no routes: src/pages has no files.";
  const width = Math.max(...routes.map(({ id }) => id.length));
  return routes
    .map(({ id, kind, page, server }) => {
      const files = [page, server].filter((file) => file !== undefined).join(", ");
      return `${id.padEnd(width)}  ${kind.padEnd(4)}  ${files}`;
    })
    .join("\n");
}
