import type { ResolvedConfig } from "vite";

/**
 * Whether Vitest runs the application's files. Then they run in workers, not in the process of the plugin, and what
 * Vite calls the client is a test with a document in Node.
 */
export function runsTests(environment: { getTopLevelConfig(): ResolvedConfig }): boolean {
  return environment.getTopLevelConfig().plugins.some(({ name }) => name.startsWith("vitest"));
}
