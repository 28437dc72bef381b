import { bindFirst } from "../bind-first.ts";
import { systemClock } from "../clock.ts";
import type { ConsoleApi } from "../console-api/console-api.ts";
import * as questions from "../console-api/questions.ts";
import { openReader } from "../open-reader.ts";
import type { QueryContext } from "../queries/query-context.ts";
import { scanLimitsOf } from "../queries/scan-limits.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import { LazyReader } from "../stores/lazy-reader.ts";
import type { McpApi } from "./tool.ts";

/** What the tools use of a running service. */
export function mcpApiOf(api: ConsoleApi): McpApi {
  return { ...api, refuse: (refusal) => api.administration.refuse(refusal) };
}

export interface FolderMcpApi {
  readonly api: McpApi;
  close(): Promise<void>;
}

/** Reads a data folder, whether its service runs or not. Changes need the service. */
export async function openFolderMcpApi(dataFolder: string): Promise<FolderMcpApi> {
  const shared = await openSharedState(dataFolder);
  // Opened by the first call: an agent starts the command before the application has filed anything.
  const store = new LazyReader(() => openReader(dataFolder));
  const now = (): number => systemClock.now();
  const limits = scanLimitsOf(process.env);
  return {
    api: {
      ...bindFirst(async (): Promise<QueryContext> => ({ store: await store.get(), now: now(), limits }), questions),
      now,
      settled: async () => undefined,
      projects: () => shared.projects.all,
      change: undefined,
      refuse: async () => undefined,
    },
    close: async () => {
      await store.close();
      await shared.close();
    },
  };
}
