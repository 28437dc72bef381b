import type { ServerReporting } from "#reporting";
import { silentServerSignals } from "#signals";

/** Replaces reporting in a server without it: no listeners, nothing accepted, nothing stored. */
export function openServerReporting(): ServerReporting {
  return {
    signals: silentServerSignals,
    release: undefined,
    logPath: (path) => path,
    logText: (text) => text,
    hide: (value) => value,
    headScript: "",
    signalsOf: () => silentServerSignals,
    headScriptOf: () => "",
    tunnel: {
      path: "/_holdfast/post",
      handle: async (_incoming, response) => void response.writeHead(404, { "Content-Length": "0" }).end(),
    },
    runTask: async (_facts, run) => run().then(() => ({ kind: "ended" })),
    keepNote: async () => "no-digest",
    keepFeedback: async () => "kept",
    delivered: async () => undefined,
    close: async () => undefined,
  };
}
