import type { Server } from "node:http";
import { keepLastAddress } from "../last-address.ts";
import { openService } from "../open-service.ts";
import { createServiceServer } from "../serve.ts";
import { dataFolderOf, printLine, readArguments, type ServiceCommand, wrongUse } from "./command.ts";
import { dsnOf } from "./dsn-command.ts";

const usage = "holdfast service [--port 4600] [--host 127.0.0.1] [--data FOLDER]";
/** What is under way is finished in this time; then the process ends, and what was acknowledged is in the journal anyway. */
const hardStopMs = 25_000;

export const serviceCommand: ServiceCommand = {
  says: "runs the error service on its own, for any number of applications",
  async run(args, print = printLine) {
    const { options } = readArguments(args, { port: "text", host: "text", data: "text" }, usage);
    const port = Number(options.port ?? 4600);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw wrongUse(`--port must be a number from 0 to 65535, got "${options.port}".`, usage);
    const host = typeof options.host === "string" ? options.host : "127.0.0.1";
    const dataFolder = dataFolderOf(options);
    const service = await openService({ dataFolder });
    const server = createServiceServer(service);
    const origin = await listen(server, port, host);
    keepLastAddress(dataFolder, origin);
    print(`The error service listens at ${origin}`);
    for (const project of service.projects.all) print(`  ${project.name}: ${dsnOf(project, origin)}`);
    await signalled();
    setTimeout(() => process.exit(1), hardStopMs).unref();
    await stop(server);
    await service.close();
    return 0;
  },
};

function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      const actual = typeof address === "object" && address !== null ? address.port : port;
      resolve(`http://${host.includes(":") ? `[${host}]` : host}:${actual}`);
    });
  });
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
  });
}

/** Connections that wait for nothing go at once, the others when they are answered. */
function stop(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  return new Promise((resolve) =>
    server.close(() => {
      clearInterval(sweep);
      resolve();
    }),
  );
}
