import path from "node:path";
import { parseArgs } from "node:util";
import { openSources } from "#build";
import { startDevelopment, untilEnded } from "#host";
import { readEnvironmentFile, readPort } from "./serving.ts";

export const devCommand = {
  says: "[FOLDER] [--port N] [--host H]  serves the application from its sources",
  run: async (args: readonly string[]): Promise<number> => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { port: { type: "string" }, host: { type: "string" } },
    });
    const root = path.resolve(positionals[0] ?? ".");
    readEnvironmentFile(root);
    const port = readPort(values.port ?? process.env.PORT ?? "3000");
    const server = await startDevelopment({
      root,
      sources: await openSources({ root, watch: true }),
      port,
      nextFreePort: true,
      host: values.host ?? process.env.HOST ?? "localhost",
      dataFolder: path.resolve(process.env.HOLDFAST_DATA ?? path.join(root, ".holdfast")),
      say: (line) => console.error(line),
    });
    if (server.port !== port && port !== 0) console.log(`Port ${port} is taken; using ${server.port}.`);
    console.log(`Pages    ${server.url}/`);
    if (server.consoleUrl) console.log(`Console  ${server.consoleUrl()}`);
    return untilEnded(server, { say: (sentence) => console.error(sentence) });
  },
};
