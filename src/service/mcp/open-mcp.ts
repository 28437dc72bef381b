import { systemClock } from "../clock.ts";
import type { ConsoleApi } from "../console-api/console-api.ts";
import { createMcpRoute, type McpRoute, type McpRouteDeps } from "./handle-mcp-request.ts";
import { mcpLimitsOf } from "./limits.ts";
import { mcpApiOf } from "./mcp-api.ts";

/** What the host knows. The rest is the service's own. */
export type OpenMcpDeps = Pick<McpRouteDeps, "clientOf" | "originOf" | "development" | "warn"> & {
  readonly api: ConsoleApi;
};

/** The first request loads the protocol's library: most services are asked by people alone. */
export function openMcpRoute(deps: OpenMcpDeps): McpRoute {
  const { access, tokens } = deps.api;
  return createMcpRoute({
    ...deps,
    api: mcpApiOf(deps.api),
    access,
    tokens,
    limits: mcpLimitsOf(process.env),
    clock: systemClock,
  });
}
