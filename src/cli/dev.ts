import path from "node:path";
import { parseArgs } from "node:util";
import { openSources } from "#build";
import { readEnvironmentFiles } from "#build/environment-files";
import { startDevelopment, untilEnded } from "#host";
import type { Command } from "./command.ts";
import { applicationData } from "./data-folder.ts";
import { readPort } from "./serving.ts";

export const devCommand: Command = {
  usage: "dev [FOLDER] [--port N] [--host H]",
  description: "serves the application from its sources",
  options: {
    "--port N": "where to listen; PORT, or 3000, or the next free one",
    "--host H": "the address to listen at; HOST, or localhost",
  },
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { port: { type: "string" }, host: { type: "string" } },
    });
    const root = path.resolve(positionals[0] ?? ".");
    readEnvironmentFiles(root, "development");
    const port = readPort(values.port ?? process.env.PORT ?? "3000");
    const server = await startDevelopment({
      root,
      sources: await openSources({ root, watch: true }),
      port,
      nextFreePort: true,
      host: values.host ?? process.env.HOST ?? "localhost",
      dataFolder: applicationData(undefined, root),
      print: terminal.warn,
    });
    // First, because a reader of these lines may send a signal at once.
    const ended = untilEnded(server, { warn: terminal.warn });
    if (server.port !== port && port !== 0) terminal.print(`Port ${port} is taken; using ${server.port}.`);
    terminal.print(`Pages    ${server.url}/`);
    if (server.consoleUrl) terminal.print(`Console  ${await server.consoleUrl()}`);
    return ended;
  },
};
