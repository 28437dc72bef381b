import { serviceErrors } from "../errors.ts";

/** As much of `@modelcontextprotocol/sdk` as is used. */
export interface McpSdk {
  readonly Server: new (info: object, options: object) => ProtocolServer;
  readonly ListToolsRequestSchema: object;
  readonly CallToolRequestSchema: object;
  readonly WebStandardStreamableHTTPServerTransport: new (options: object) => RequestTransport;
}

export interface ProtocolServer {
  setRequestHandler(schema: object, handle: (request: ProtocolRequest) => Promise<object>): void;
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
}

interface ProtocolRequest {
  readonly params?: { readonly name?: unknown; readonly arguments?: unknown };
}

export interface RequestTransport {
  handleRequest(request: Request, options: { parsedBody: unknown }): Promise<Response>;
}

/** Both ends of a connection, in the library's words. */
export interface MessageTransport {
  onmessage?: (message: ProtocolMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: ProtocolMessage): Promise<void>;
  close(): Promise<void>;
}

/** A request has an id and a method, a response an id alone. */
export interface ProtocolMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly method?: string;
  readonly error?: { readonly code: number; readonly message: string };
}

let loading: Promise<McpSdk> | undefined;

/** Loads the official library with the first request: an optional package, which many services do not need. */
export function loadMcpSdk(): Promise<McpSdk> {
  loading ??= load();
  return loading;
}

/** Imports a module of the library. The name is a value, so that no bundler follows. */
export async function importFromSdk<Module>(path: string): Promise<Module> {
  const name = `@modelcontextprotocol/sdk/${path}`;
  try {
    return (await import(name)) as Module;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw serviceErrors.noMcpPackage();
  }
}

async function load(): Promise<McpSdk> {
  const [server, types, transport] = await Promise.all([
    importFromSdk<Pick<McpSdk, "Server">>("server/index.js"),
    importFromSdk<Pick<McpSdk, "ListToolsRequestSchema" | "CallToolRequestSchema">>("types.js"),
    importFromSdk<Pick<McpSdk, "WebStandardStreamableHTTPServerTransport">>("server/webStandardStreamableHttp.js"),
  ]);
  return {
    Server: server.Server,
    ListToolsRequestSchema: types.ListToolsRequestSchema,
    CallToolRequestSchema: types.CallToolRequestSchema,
    WebStandardStreamableHTTPServerTransport: transport.WebStandardStreamableHTTPServerTransport,
  };
}
