import path from "node:path";
import { parseArgs } from "node:util";
import { readEnvironmentFiles } from "#build/environment-files";
import {
  containerMemory,
  environmentReaders,
  type GateVerdict,
  gateProcessMs,
  type HoldfastConfig,
  isFirstWorker,
  isWorker,
  lineToParent,
  mayHaveWorkers,
  openParentSignals,
  readConfig,
  removeUploads,
  runWorkers,
  startApplication,
  untilEnded,
  untilStarted,
} from "#host";
import { refuseWrongSettings, type SettingReader, wrongSettings } from "#service";
import type { Command } from "./command.ts";
import { applicationData } from "./data-folder.ts";
import { failureText } from "./known-failure.ts";
import { readDrain, readMemory, readPort, readWorkers, startReaders } from "./serving.ts";

export const startCommand: Command = {
  usage: "start [FOLDER] [--port N] [--host H] [--data DIR] [--workers N|auto] [--gate]",
  description: "serves the built application",
  options: {
    "--port N": "where to listen; PORT, or 3000, or the next free one",
    "--host H": "the address to listen at; HOST, or localhost",
    "--data DIR": "folder for reports and uploads; HOLDFAST_DATA, or .holdfast",
    "--workers N|auto": "processes that share the port; HOLDFAST_WORKERS, or 1",
    "--gate": "is ready only when the build has passed `holdfast gate`, else ends with 1",
  },
  run: async (args, terminal) => {
    process.env.NODE_ENV ??= "production";
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: "string" },
        host: { type: "string" },
        data: { type: "string" },
        workers: { type: "string" },
        gate: { type: "boolean", default: false },
      },
    });
    const root = path.resolve(positionals[0] ?? ".");
    readEnvironmentFiles(root, "production");
    await refuseWrongEnvironment(root, startReaders(values));
    const workers = readWorkers(values.workers ?? process.env.HOLDFAST_WORKERS);
    const dataFolder = applicationData(values.data);
    // Loaded only where it is used, so that a start reads few files.
    const gate = async (signal?: AbortSignal): Promise<GateVerdict> => {
      const { runGateProcess } = await import("./gate/gate-process.ts");
      const withinMs = gateProcessMs((await readConfig(root)).limits);
      return runGateProcess({ root, dataFolder, terminal, withinMs, signal });
    };
    if (workers > 1 && mayHaveWorkers())
      return runWorkers({
        count: workers,
        warn: terminal.warn,
        now: Date.now,
        onEnd: (pid) => void removeUploads(dataFolder, pid).catch((error) => terminal.warn(`Uploads stay: ${error}`)),
        dataFolder,
        ...(values.gate && { gate }),
      });
    const parent = openParentSignals();
    const drainMs = readDrain(process.env.HOLDFAST_DRAIN_SECONDS);
    const chosen = values.port ?? process.env.PORT;
    const port = readPort(chosen ?? "3000");
    const starting = startApplication({
      root,
      port,
      nextFreePort: chosen === undefined && workers === 1,
      host: values.host ?? process.env.HOST ?? "localhost",
      dataFolder,
      gate: values.gate ? (isWorker() ? parent.gate : () => gate()) : undefined,
      releaseLine: isWorker() ? lineToParent() : undefined,
      accessLog: terminal.write,
      beforeListening: parent.beforeListening,
      ownsProcess: true,
      memoryBytes: readMemory(process.env.HOLDFAST_MEMORY_MIB) ?? containerMemory(workers),
    });
    const server = await untilStarted(starting).catch((error: unknown) => {
      if (!parent.cannotStart(failureText(error))) throw error;
    });
    if (server === undefined) return 1;
    const consoleUrl = isFirstWorker() ? await server.consoleUrl?.() : undefined;
    // First, because a reader of these lines may send a signal at once.
    const ended = untilEnded(server, { warn: terminal.warn, drainMs, parent });
    parent.started();
    if (server.port !== port && port !== 0) terminal.print(`Port ${port} is taken; using ${server.port}.`);
    if (isFirstWorker()) {
      terminal.print(`Pages    ${server.url}/`);
      if (consoleUrl !== undefined) terminal.print(`Console  ${consoleUrl}`);
    }
    return ended;
  },
};

/**
 * Names all wrong settings at once, before any process is started. The configuration says which of them are read; where
 * none is wrong, it is not loaded for that.
 */
async function refuseWrongEnvironment(root: string, own: readonly SettingReader[]): Promise<void> {
  const readersFor = (config: HoldfastConfig) => [
    ...own,
    ...environmentReaders({ config, development: false }, undefined),
  ];
  if (wrongSettings(readersFor({}), process.env).length === 0) return;
  refuseWrongSettings(readersFor(await readConfig(root)), process.env);
}
