import { type Exchange, sendText, withChanges } from "#http";
import * as pageErrors from "../errors.ts";
import type { NamedResponseHook } from "./author/define.ts";
import { LeavingResponse } from "./author/leaving-response.ts";
import { inTime } from "./in-time.ts";
import { chain, type MaybePromise } from "./maybe-promise.ts";
import { PageRequest } from "./page-request.ts";
import type { Site } from "./site.ts";

/** The headers of a file after the response hooks that want files; `answered` if one failed and an error was sent. */
export type LeaveFile = (
  exchange: Exchange,
  headers: readonly string[],
) => MaybePromise<readonly string[] | "answered">;

/** Undefined if the application has no request hook. Never rejects. */
export function createLeaveFile(site: Site): LeaveFile | undefined {
  if (!site.application.parts.request) return undefined;
  return (exchange, headers) => {
    const hook = site.application.hook();
    // Pages report why it could not be loaded.
    const loaded = hook instanceof Promise ? hook.catch(() => null) : hook;
    return chain(loaded, (one) => {
      const hooks = one?.responseHooks?.filter(({ files }) => files) ?? [];
      return hooks.length === 0 ? headers : runHooks(site, exchange, headers, hooks);
    });
  };
}

async function runHooks(
  site: Site,
  exchange: Exchange,
  headers: readonly string[],
  hooks: readonly NamedResponseHook[],
): Promise<readonly string[] | "answered"> {
  const { incoming, response } = exchange;
  const { visitors, lang, limits } = site;
  const [path = "/", ...rest] = (incoming.url ?? "/").split(/(?=\?)/);
  const place = { path, search: rest.join(""), origin: site.originOf(incoming), visitors, lang };
  const request = new PageRequest(incoming, response, place);
  // Caches keep files for everybody.
  request.sealCookies();
  let changed = headers;
  try {
    for (const { run } of hooks) {
      const leaving = new LeavingResponse({ kind: "file", status: 200, replaceable: "none", headers: changed });
      const late = (): unknown => pageErrors.hookTimedOut("response", path, limits.loadMs);
      const returned: unknown = await inTime(Promise.resolve(run(leaving, request)), limits.loadMs, late);
      if (returned !== undefined) throw pageErrors.notReplaceable("file");
      leaving.seal();
      changed = withChanges(changed, leaving.changes);
    }
    return changed;
  } catch (thrown) {
    const place = { side: "server", during: "request-hook", url: path, visitorSaw: "data-error" } as const;
    const receipt = site.signals.errorCaught(thrown, place);
    if (receipt.kind === "recorded") await receipt.durable;
    if (!response.headersSent)
      sendText(exchange, 500, receipt.kind === "recorded" ? `Error ${receipt.digest}\n` : "Error\n");
    return "answered";
  }
}
