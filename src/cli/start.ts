import path from "node:path";
import { parseArgs } from "node:util";
import {
  containerMemory,
  hostErrors,
  isSpokesman,
  isWorker,
  openParentSignals,
  readWorkerCount,
  runWorkers,
  startApplication,
  untilEnded,
} from "#host";
import { readDrain, readEnvironmentFile, readMemory, readPort } from "./serving.ts";

export const startCommand = {
  says: "[FOLDER] [--port N] [--host H] [--data DIR] [--workers N|auto]  serves the built application",
  run: async (args: readonly string[]): Promise<number> => {
    process.env.NODE_ENV ??= "production";
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: "string" },
        host: { type: "string" },
        data: { type: "string" },
        workers: { type: "string" },
      },
    });
    const root = path.resolve(positionals[0] ?? ".");
    readEnvironmentFile(root);
    const workers = readWorkerCount(values.workers ?? process.env.HOLDFAST_WORKERS);
    if (workers === undefined) throw hostErrors.wrongWorkers(values.workers ?? process.env.HOLDFAST_WORKERS ?? "");
    if (workers > 1 && !isWorker())
      return runWorkers({ count: workers, say: (sentence) => console.error(sentence), now: Date.now });
    const parent = openParentSignals();
    const drainMs = readDrain(process.env.HOLDFAST_DRAIN_SECONDS);
    const chosen = values.port ?? process.env.PORT;
    const port = readPort(chosen ?? "3000");
    const server = await startApplication({
      root,
      port,
      nextFreePort: chosen === undefined && workers === 1,
      host: values.host ?? process.env.HOST ?? "localhost",
      dataFolder: path.resolve(values.data ?? process.env.HOLDFAST_DATA ?? ".holdfast"),
      accessLog: (text) => process.stdout.write(text),
      memoryBytes: readMemory(process.env.HOLDFAST_MEMORY_MIB) ?? containerMemory(workers),
    });
    if (server.port !== port && port !== 0) console.log(`Port ${port} is taken; using ${server.port}.`);
    if (isSpokesman()) {
      console.log(`Pages    ${server.url}/`);
      if (server.consoleUrl) console.log(`Console  ${server.consoleUrl()}`);
    }
    return untilEnded(server, { say: (sentence) => console.error(sentence), drainMs, parent });
  },
};
