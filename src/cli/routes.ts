import { parseArgs } from "node:util";
import { type ApplicationFiles, readApplication } from "#build";
import type { Command } from "./command.ts";

/** A route in the form that scripts and editors use. Files are relative to the application. */
interface RouteFacts {
  id: string;
  kind: "page" | "api";
  params: string[];
  page: string | undefined;
  server: string | undefined;
  layouts: string[];
}

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
    const routes = routesOf(await readApplication(positionals[0] ?? ".", values.at));
    terminal.print(values.json ? JSON.stringify(routes, undefined, 2) : table(routes));
    return 0;
  },
};

function routesOf({ table }: ApplicationFiles): RouteFacts[] {
  const inPages = (file: string | undefined): string | undefined => file && `src/pages/${file}`;
  return table.routes.map(({ id, kind, page, server, folders, segments }) => ({
    id,
    kind,
    params: segments.flatMap((segment) => (segment.kind === "static" ? [] : [segment.name])),
    page: inPages(page),
    server: inPages(server),
    layouts: folders.flatMap((index) => inPages(table.folders[index]?.layout) ?? []),
  }));
}

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
