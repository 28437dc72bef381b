import path from "node:path";
import { parseArgs } from "node:util";
import { hostErrors, isWorker, readWorkerCount, runWorkers, startApplication } from "#host";

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
    const workers = readWorkerCount(values.workers ?? process.env.HOLDFAST_WORKERS);
    if (workers === undefined) throw hostErrors.wrongWorkers(values.workers ?? process.env.HOLDFAST_WORKERS ?? "");
    if (workers > 1 && !isWorker())
      return runWorkers({ count: workers, say: (sentence) => console.error(sentence), now: Date.now });
    const root = path.resolve(positionals[0] ?? ".");
    const chosen = values.port ?? process.env.PORT;
    const port = readPort(chosen ?? "3000");
    const server = await startApplication({
      root,
      port,
      nextFreePort: chosen === undefined && workers === 1,
      host: values.host ?? process.env.HOST ?? "localhost",
      dataFolder: path.resolve(values.data ?? process.env.HOLDFAST_DATA ?? ".holdfast"),
      accessLog: (text) => process.stdout.write(text),
    });
    if (server.port !== port && port !== 0) console.log(`Port ${port} is taken; using ${server.port}.`);
    console.log(`Pages    ${server.url}/`);
    return untilAskedToStop(() => server.stop());
  },
};

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text.trim() === "") throw hostErrors.wrongPort(text);
  return port;
}

/** The first signal lets what is under way finish; the second ends at once. */
async function untilAskedToStop(stop: () => Promise<"finished" | "cut">): Promise<number> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        resolve();
        process.once(signal, () => process.exit(1));
      });
    }
  });
  const how = await stop();
  return how === "finished" ? 0 : 1;
}
