import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";

const commandLine = new URL("../../cli/index.ts", import.meta.url);
const program = `const { main } = await import("${commandLine}"); process.exitCode = await main(process.argv.slice(1));`;

/** Arguments of Node that run a command of `holdfast` from its sources. */
export function holdfastFromSource(...args: readonly string[]): string[] {
  return ["--conditions", "holdfast-source", "--input-type=module", "-e", program, "--", ...args];
}

export interface StartedMcp {
  readonly client: Client;
  /** Lines on standard output that are no messages. */
  readonly wrong: readonly Error[];
}

/** Starts `holdfast mcp` as an agent does, until the test ends. */
export async function startHoldfastMcp(args: readonly string[], env: Record<string, string> = {}): Promise<StartedMcp> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: holdfastFromSource("mcp", ...args),
    env,
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  const wrong: Error[] = [];
  client.onerror = (error) => wrong.push(error);
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, wrong };
}
