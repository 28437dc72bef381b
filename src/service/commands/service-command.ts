import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isOwnNetwork, logRefusals } from "#bounds";
import { createAddressOf } from "../accept/client-address.ts";
import type { Access } from "../accounts/access.ts";
import { openAccountAccess } from "../accounts/open-account-access.ts";
import type { SealKeys } from "../accounts/second-factor/sealed-secret.ts";
import { allSettingReaders, refuseWrongSettings } from "../check-settings.ts";
import { consoleEntrance } from "../console-entrance.ts";
import { serviceErrors } from "../errors.ts";
import { compileAddresses, isNetwork } from "../intake/addresses.ts";
import { keepLastAddress } from "../last-address.ts";
import { keepMachineNoted } from "../machine-note.ts";
import { openReader } from "../open-reader.ts";
import { openService, type Service } from "../open-service.ts";
import { createServiceServer } from "../serve.ts";
import { LazyReader } from "../stores/lazy-reader.ts";
import { openSharedStore } from "../stores/shared-store.ts";
import { storeAddressOf } from "../stores/store-address.ts";
import { createAnswerRoute } from "./answer-route.ts";
import { dataFolderOf, dataOption, type Options, readArguments, type ServiceCommand, wrongUse } from "./command.ts";
import { dsnOf } from "./dsn-command.ts";

const usage = "service [--port N] [--host H] [--data FOLDER] [--origin URL] [--trusted-proxies LIST]";
/** Current work is finished within this time. Then the process ends; everything acknowledged is in the journal. */
const hardStopMs = 25_000;

/** The console beside the service, if the package contains one. */
export interface ServiceConsole {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

export interface ServiceConsoleDeps {
  readonly service: Service;
  readonly dataFolder: string;
  readonly access: Access;
  /** Public address of the console, if it is not the one it listens at. */
  readonly origin: string | undefined;
  /** Addresses and networks of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
}

/**
 * Creates `holdfast service`. Console and seal keys are injected, because the service does not depend on the host. Both
 * are loaded when they are first needed.
 */
export function createServiceCommand(
  openConsole?: (deps: ServiceConsoleDeps) => Promise<ServiceConsole>,
  sealKeys?: (dataFolder: string) => Promise<readonly Uint8Array[]>,
): ServiceCommand {
  return {
    usage,
    options: {
      "--port N": "where to listen; 4600",
      "--host H": "the address to listen at; 127.0.0.1",
      ...dataOption,
      "--origin URL": "where clients and people reach it, when it is not the one it listens at",
      "--trusted-proxies LIST": "proxies whose forwarding headers are believed: 10.0.0.0/8,::1",
    },
    description: "runs the error service and its console on their own, for any number of applications",
    async run(args, { print, warn }) {
      const known = { port: "text", host: "text", data: "text", origin: "text", "trusted-proxies": "text" } as const;
      const { options } = readArguments(args, known, usage);
      const { port, host, origin, trustedProxies } = readListenOptions(options);
      const dataFolder = dataFolderOf(options);
      refuseWrongSettings(allSettingReaders, process.env);
      const service = await openService({ dataFolder, trustedProxies, log: warn });
      const access = await openAccess(service, warn, sealKeys && (() => sealKeys(dataFolder)));
      let opened: Promise<ServiceConsole> | undefined;
      const console =
        openConsole &&
        (async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
          opened ??= openConsole({
            service,
            dataFolder,
            access,
            origin,
            trustedProxies,
          });
          await (await opened).handle(request, response);
        });
      const reader = new LazyReader(() => openReader(dataFolder));
      const { projects, refusals } = service;
      const answers = createAnswerRoute({ projects, store: () => reader.get(), now: Date.now, refusals });
      const isShared = sharedBy(trustedProxies);
      const server = createServiceServer(service, {
        ...(console && { console }),
        answers,
        isShared,
        addressOf: createAddressOf(trustedProxies),
      });
      const ownAddress = await listen(server, port, host).catch(async (error: unknown) => {
        await service.close();
        throw error;
      });
      const reachedAt = origin ?? ownAddress;
      keepLastAddress(dataFolder, reachedAt);
      print(`The error service listens at ${reachedAt}`);
      for (const project of service.projects.all) print(`  ${project.name}: ${dsnOf(project, reachedAt)}`);
      if (console) print(`  Console: ${reachedAt}${await consoleEntrance(access)}`);
      const refused = logRefusals(service.refusals, print);
      const shared = await openSharedStore(storeAddressOf(dataFolder));
      const noted = shared && keepMachineNoted(shared, { kind: "service", secret: process.env.HOLDFAST_SECRET });
      await signalled();
      noted?.close();
      await shared?.close();
      refused.close();
      setTimeout(() => process.exit(1), hardStopMs).unref();
      await stop(server);
      await reader.close();
      // A console that failed to open needs no closing.
      (await opened?.catch(() => undefined))?.close();
      await service.close();
      return 0;
    },
  };
}

/** Without the console, for a service that only receives. */
export const serviceCommand: ServiceCommand = createServiceCommand();

interface ListenOptions {
  port: number;
  host: string;
  origin: string | undefined;
  trustedProxies: readonly string[];
}

function readListenOptions(options: Options): ListenOptions {
  const port = Number(options.port ?? 4600);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw wrongUse(`--port must be a number from 0 to 65535, got "${options.port}".`, usage);
  const origin = typeof options.origin === "string" ? options.origin.replace(/\/$/, "") : undefined;
  if (origin !== undefined && !(URL.canParse(origin) && new URL(origin).origin === origin))
    throw wrongUse(`--origin must be an origin such as https://errors.example, got "${options.origin}".`, usage);
  const proxies = typeof options["trusted-proxies"] === "string" ? options["trusted-proxies"].split(",") : [];
  const trustedProxies = proxies.map((proxy) => proxy.trim()).filter((proxy) => proxy !== "");
  for (const proxy of trustedProxies)
    if (!isNetwork(proxy)) throw wrongUse(`--trusted-proxies must be addresses or networks, got "${proxy}".`, usage);
  return { port, host: typeof options.host === "string" ? options.host : "127.0.0.1", origin, trustedProxies };
}

/** Recognises addresses that many clients share: those of private networks, and the proxies. */
function sharedBy(trustedProxies: readonly string[]): (address: string) => boolean {
  const isProxy = compileAddresses(trustedProxies);
  return (address) => isOwnNetwork(address) || isProxy(address);
}

/** If the accounts cannot be opened, the thread of the service must not keep the process. */
async function openAccess(service: Service, log: (text: string) => void, sealKeys?: SealKeys): Promise<Access> {
  const { shared, refusals } = service;
  try {
    return openAccountAccess({ openAccounts: (options) => shared.openAccounts(options), refusals, sealKeys, log });
  } catch (error) {
    await service.close();
    throw error;
  }
}

function listen(server: Server, port: number, host: string): Promise<string> {
  const addressAt = (actual: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? serviceErrors.addressTaken(addressAt(port))
          : serviceErrors.addressUnusable(addressAt(port), error.message),
      ),
    );
    server.listen(port, host, () => {
      const address = server.address();
      resolve(addressAt(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
  });
}

/** Closes idle connections at once, the others after their response. */
function stop(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  return new Promise((resolve) =>
    server.close(() => {
      clearInterval(sweep);
      resolve();
    }),
  );
}
