import { parseArgs } from "node:util";
import { readEnvironmentFiles } from "#build/environment-files";
import { pinRoute, type RouteStatus, readReleaseStatus } from "#host";
import type { Command } from "./command.ts";
import { applicationData } from "./data-folder.ts";
import { cliErrors } from "./errors.ts";
import type { Terminal } from "./terminal.ts";

export const releasesCommand: Command = {
  usage: "releases [list|pin|unpin] [ROUTE] [new|before] [--data DIR]",
  description: "shows which build answers which route, and chooses it",
  options: {
    list: "all routes with their requests and failures; what a call without words does",
    "pin ROUTE new|before": "has this build answer the route, until it is unpinned or the next release",
    "unpin ROUTE": "lets the server decide again",
    "--data DIR": "data folder of the server; HOLDFAST_DATA, or .holdfast",
  },
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { data: { type: "string" } },
    });
    readEnvironmentFiles(".", "production");
    const dataFolder = applicationData(values.data);
    const [word = "list", route = "", build] = positionals;
    if (word === "list") return list(dataFolder, terminal);
    if (word === "unpin" && route !== "") {
      await pinRoute(dataFolder, { route, to: undefined, now: Date.now() });
      terminal.print(`The server decides again which build answers ${route}.`);
      return 0;
    }
    if (word !== "pin" || (build !== "new" && build !== "before")) throw cliErrors.noReleasesCommand(args.join(" "));
    await pinRoute(dataFolder, { route, to: build, now: Date.now() });
    terminal.print(`The ${build === "new" ? "new build" : "build before"} answers ${route}, until it is unpinned.`);
    return 0;
  },
};

async function list(dataFolder: string, terminal: Terminal): Promise<number> {
  const status = await readReleaseStatus(dataFolder);
  if (!status) {
    terminal.print("No release has answered requests here, or releases.healing is off.");
    return 0;
  }
  terminal.print(`Release ${status.name}; before it ${status.before ?? "none"}`);
  const wide = Math.max(0, ...status.routes.map(({ route }) => route.length));
  for (const route of status.routes) terminal.print(lineOf(route, wide));
  return 0;
}

function lineOf({ route, requests, failures, on, remark }: RouteStatus, wide: number): string {
  const counted = `${requests.toLocaleString("en")} requests, ${failures.toLocaleString("en")} failed`;
  return `  ${route.padEnd(wide)}  on ${on}  ${counted}${remark && `  (${remark})`}`;
}
