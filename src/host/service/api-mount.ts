import { isCutBody, sendText, sendWebResponse, webRequestOf } from "#http";
import type { HandlerOptions } from "#pages";
import { apiPath, type ConsoleApi, createApiHandler, type HandleApi } from "#service";
import type { Mount } from "../enter.ts";

/** Serves the API below `/_holdfast/api/v1`. `openService` resolves when the service is open. */
export function createApiMount(
  api: ConsoleApi,
  { signals, originOf, clientOf }: Pick<HandlerOptions, "signals" | "originOf" | "clientOf">,
  openService: () => Promise<void> | undefined = () => undefined,
): Mount {
  let handle: HandleApi | undefined;
  const onError = (error: unknown): void => {
    // The client has left: nothing has failed.
    if (isCutBody(error)) return;
    signals.errorCaught(error, { side: "server", during: "arrival", url: apiPath, visitorSaw: "nothing" });
  };
  return {
    path: apiPath,
    handle: async (incoming, response) => {
      const exchange = { incoming, response };
      await openService();
      handle ??= createApiHandler({ api, onError });
      const request = webRequestOf(incoming, originOf(incoming));
      if (request === undefined) return sendText(exchange, 400, "The API takes no such request.\n");
      await sendWebResponse(exchange, await handle(request, { address: clientOf(incoming) }));
    },
  };
}
