import type { Readable } from "node:stream";
import { messageOf } from "#errors";
import { consolePath } from "../console-path.ts";
import { consoleAddressOf } from "../last-address.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { mcpLimitsOf } from "./limits.ts";
import { importFromSdk, type MessageTransport, type ProtocolMessage } from "./load-sdk.ts";
import { openFolderMcpApi } from "./mcp-api.ts";

export interface StdioDeps {
  readonly input: Readable;
  readonly warn: (text: string) => void;
}

/** Answers on standard input and output from a data folder, until the client closes its end. Changes nothing. */
export async function serveFolderOnStdio(dataFolder: string, { input, warn }: StdioDeps): Promise<void> {
  const { api, close } = await openFolderMcpApi(dataFolder);
  try {
    const server = await createMcpServer(
      {
        api,
        // A program that can open the folder can read all of it.
        person: { name: "holdfast mcp", roles: "viewer" },
        console: consoleAddressOf(dataFolder),
        warn: (what, error) => warn(`${what} ${messageOf(error)}`),
      },
      mcpLimitsOf(process.env),
    );
    await server.connect(await openStdio());
    await ended(input);
    await server.close();
  } finally {
    await close();
  }
}

export interface ForwardDeps extends StdioDeps {
  /** Undefined for a development server on this machine, which needs none. */
  readonly token: string | undefined;
}

/** Passes messages between standard input and output and a service elsewhere, until the client closes its end. */
export async function forwardStdio(service: string, { input, token, warn }: ForwardDeps): Promise<void> {
  const { StreamableHTTPClientTransport } = await importFromSdk<{
    StreamableHTTPClientTransport: new (url: URL, options: object) => MessageTransport;
  }>("client/streamableHttp.js");
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const remote = new StreamableHTTPClientTransport(new URL(`${consolePath}/mcp`, service), {
    requestInit: { headers },
  });
  const local = await openStdio();
  const underway = new Set<Promise<void>>();
  remote.onmessage = (message) => void local.send(message);
  local.onmessage = (message) => {
    const sent = remote.send(message).catch((error: unknown) => {
      const why = reasonOf(error, service);
      // A client that waits for an answer shows it. For others it is in the log.
      if (isRequest(message))
        return local.send({ jsonrpc: "2.0", id: message.id, error: { code: -32_000, message: why } });
      warn(why);
    });
    underway.add(sent);
    void sent.finally(() => underway.delete(sent));
  };
  await remote.start();
  await local.start();
  await ended(input);
  await Promise.all(underway);
  await remote.close();
  await local.close();
}

async function openStdio(): Promise<MessageTransport> {
  const { StdioServerTransport } = await importFromSdk<{ StdioServerTransport: new () => MessageTransport }>(
    "server/stdio.js",
  );
  return new StdioServerTransport();
}

function ended(input: Readable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["end", "close"]) input.once(event, () => resolve());
  });
}

function isRequest(message: ProtocolMessage): message is ProtocolMessage & { id: string | number } {
  return message.method !== undefined && message.id !== undefined && message.id !== null;
}

/** The service has answered with a sentence, in the form of the protocol, or did not answer. */
function reasonOf(error: unknown, service: string): string {
  const text = messageOf(error);
  const [, json] = /(\{.*\})\s*$/s.exec(text) ?? [];
  const sentence = json === undefined ? undefined : sentenceIn(json);
  return `${service}: ${sentence ?? text}`;
}

function sentenceIn(json: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(json);
    const error: unknown = typeof answer === "object" && answer !== null ? Reflect.get(answer, "error") : undefined;
    const message: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "message") : undefined;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
