import { systemClock } from "../clock.ts";
import type { ConsoleApi } from "../console-api/console-api.ts";
import type { McpRoute, McpRouteDeps } from "./handle-mcp-request.ts";

/** What the host knows. The rest is the service's own. */
export type OpenMcpDeps = Pick<McpRouteDeps, "clientOf" | "originOf" | "development" | "warn"> & {
  readonly api: ConsoleApi;
};

/** Loads the protocol when it is used: most services are asked by people alone. */
export async function openMcpRoute(deps: OpenMcpDeps): Promise<McpRoute> {
  const [{ createMcpRoute }, { mcpApiOf }, { mcpLimitsOf }] = await Promise.all([
    import("./handle-mcp-request.ts"),
    import("./mcp-api.ts"),
    import("./limits.ts"),
  ]);
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
