import { Refusals } from "#bounds";
import { silentServerSignals } from "#signals";
import type { BrowserFiles } from "../../src/host/browser-files.ts";
import { hostLimits } from "../../src/host/limits.ts";
import { createAcceptSocket } from "../../src/host/live/accept-socket.ts";
import { createNodeServer } from "../../src/host/node-server.ts";
import { createClientAddresses } from "../../src/host/origin.ts";
import {
  type TestApplication,
  type TestFiles,
  type TestOptions,
  testApplication,
} from "../../src/pages/server/test-application.ts";

export { onSocket, type SocketContext, unauthorized } from "#pages/server";
export type { TestApplication, TestFiles, TestOptions };

/** A small application behind the host's own server, so that it has sockets. */
export function liveApplication(
  files: TestFiles,
  { files: browserFiles, ...options }: TestOptions & { files?: BrowserFiles } = {},
): Promise<TestApplication> {
  return testApplication(files, {
    acceptSocket: createAcceptSocket(),
    serve: (pages) =>
      createNodeServer({
        pages,
        files: browserFiles ?? { build: "test", has: () => false, serve: () => false },
        mounts: [],
        clientAddresses: createClientAddresses({ origin: undefined, trustedProxies: [] }),
        isKnownHost: () => true,
        log: undefined,
        limits: hostLimits,
        isReady: () => true,
        isShort: () => false,
        refusals: new Refusals(),
        signals: silentServerSignals,
      }),
    ...options,
  });
}
