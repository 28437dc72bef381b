import type { ServerReporting } from "#reporting";
import { silentServerSignals } from "#signals";

/** What stands in for reporting in a server without it: nobody listens, nothing is taken, nothing is kept. */
export function openServerReporting(): ServerReporting {
  return {
    signals: silentServerSignals,
    release: undefined,
    logPath: (path) => path,
    logText: (text) => text,
    headScript: "",
    tunnel: {
      path: "/_holdfast/post",
      handle: async (_incoming, response) => void response.writeHead(404, { "Content-Length": "0" }).end(),
    },
    keepNote: async () => "no-digest",
    delivered: async () => undefined,
    close: async () => undefined,
  };
}
