import type { HandlerOptions } from "#pages";
import { type ConsoleApi, consolePath, type DevelopmentSource, type McpRoute, openMcpRoute } from "#service";
import type { Mount } from "../enter.ts";
import { warn } from "../process/warn.ts";

export interface McpMountDeps extends Pick<HandlerOptions, "originOf" | "clientOf"> {
  readonly api: ConsoleApi;
  /** The running application, during development. */
  readonly development?: DevelopmentSource | undefined;
  /** Resolves when the service is open. */
  readonly openService?: () => Promise<void> | undefined;
}

/** Answers agents at `/_holdfast/mcp`. */
export function createMcpMount({ openService, ...deps }: McpMountDeps): Mount {
  let route: McpRoute | undefined;
  return {
    path: `${consolePath}/mcp`,
    handle: async (incoming, response) => {
      await openService?.();
      route ??= openMcpRoute({ ...deps, warn });
      await route(incoming, response);
    },
  };
}
