import type { IncomingMessage, ServerResponse } from "node:http";
import { TokenBuckets } from "#bounds";
import { HoldfastError } from "#errors";
import { constantHeaders, isFromThisMachine, noStore, readBody, send } from "#http";
import { isObject, readJson } from "#protocol";
import { type Access, authorize } from "../accounts/access.ts";
import type { Person } from "../accounts/people.ts";
import type { Clock } from "../clock.ts";
import type { TokensApi } from "../console-api/tokens-api.ts";
import { consolePath } from "../console-path.ts";
import { permits } from "../tokens/scopes.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import type { DevelopmentSource } from "./development-source.ts";
import type { McpLimits } from "./limits.ts";
import { loadMcpSdk } from "./load-sdk.ts";
import type { McpApi, ToolContext } from "./tool.ts";

export interface McpRouteDeps {
  readonly api: McpApi;
  /** With open access, programs on this machine need no token. */
  readonly access: Access;
  readonly tokens: Pick<TokensApi, "admit">;
  readonly clientOf: (incoming: IncomingMessage) => string;
  readonly originOf: (incoming: IncomingMessage) => string;
  readonly limits: McpLimits;
  readonly clock: Pick<Clock, "elapsed">;
  readonly development?: DevelopmentSource | undefined;
  readonly warn: (what: string, error: unknown) => void;
}

export type McpRoute = (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;

type Status = 200 | 202 | 400 | 401 | 403 | 405 | 406 | 413 | 415 | 429 | 501 | 503;

interface McpResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

type McpAdmission = { kind: "admitted"; person: Person; key: string } | { kind: "refused"; response: McpResponse };

/**
 * Answers `POST /_holdfast/mcp`: one message of the Model Context Protocol (streamable HTTP), one JSON response. There
 * are no sessions, so that any machine answers any request.
 */
export function createMcpRoute(deps: McpRouteDeps): McpRoute {
  const { limits } = deps;
  const calls = new TokenBuckets(limits.callBurst, limits.callsPerSecond);
  return async (incoming, response) => {
    const { status, headers, body } = await answer(incoming);
    const all = [...constantHeaders, ...noStore, "Content-Type", "application/json", ...headers];
    await send({ incoming, response }, { status, headers: all, body });
  };

  async function answer(incoming: IncomingMessage): Promise<McpResponse> {
    if (isForeign(incoming, deps.originOf(incoming)))
      return refusal(403, "Pages of other sites may not use this address.");
    if (incoming.method !== "POST") return refusal(405, "This address takes POST only.", ["Allow", "POST"]);
    const admission = await admit(incoming, deps);
    if (admission.kind === "refused") return admission.response;
    const seconds = calls.take(admission.key, deps.clock.elapsed());
    if (seconds > 0) return tooManyCalls(seconds);
    const body = await readBody(incoming, limits.bodyBytes);
    if (body.kind === "refused") return refusal(body.status, `The body: ${body.why}.`);
    const message = readJson(Buffer.from(body.text), messageBounds);
    if (message.kind !== "read" || !isObject(message.value))
      return refusal(400, "The body is not one message in JSON.");
    return exchange(incoming, message.value, contextOf(incoming, admission.person)).catch(refuseWithoutPackage);
  }

  function contextOf(incoming: IncomingMessage, person: Person): ToolContext {
    const { api, development } = deps;
    return { api, person, console: deps.originOf(incoming) + consolePath, development, warn: deps.warn };
  }

  async function exchange(incoming: IncomingMessage, message: unknown, context: ToolContext): Promise<McpResponse> {
    const { WebStandardStreamableHTTPServerTransport } = await loadMcpSdk();
    const server = await createMcpServer(context, limits);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const response = await transport.handleRequest(requestOf(incoming), { parsedBody: message });
      return { status: response.status, headers: [], body: await response.text() };
    } finally {
      await server.close();
    }
  }
}

/** A browser names the page that sends. A program sends no `Origin`. */
function isForeign({ headers }: IncomingMessage, ownOrigin: string): boolean {
  return headers.origin !== undefined && headers.origin !== ownOrigin;
}

async function admit(incoming: IncomingMessage, deps: McpRouteDeps): Promise<McpAdmission> {
  const [, secret] = /^Bearer +([\w-]{1,200})$/i.exec(incoming.headers.authorization ?? "") ?? [];
  if (secret === undefined) return admitWithoutToken(incoming, deps);
  const admission = await deps.tokens.admit(secret, deps.clientOf(incoming));
  switch (admission.kind) {
    case "granted": {
      const { scopes, person, id } = admission.grant;
      if (permits(scopes, "read")) return { kind: "admitted", person, key: String(id) };
      return { kind: "refused", response: refusal(403, "This token needs the scope read or triage.") };
    }
    case "wait":
      return { kind: "refused", response: tooManyCalls(admission.seconds) };
    case "expired":
      return unauthorized("This token has expired.");
    case "unknown":
      return unauthorized("This token is unknown or revoked.");
  }
}

/** During development, as the console: from this machine only. A foreign host name that points to it is refused. */
async function admitWithoutToken(incoming: IncomingMessage, { access }: McpRouteDeps): Promise<McpAdmission> {
  const address = `http://${incoming.headers.host}`;
  if (access.kind === "open" && isFromThisMachine(incoming) && URL.canParse(address)) {
    const admitted = await authorize(access, { url: new URL(address), headers: new Headers() });
    if (admitted.kind === "admitted") return { kind: "admitted", person: admitted.person, key: "" };
  }
  return unauthorized("This address needs a token: Authorization: Bearer hft_…");
}

function unauthorized(why: string): McpAdmission {
  return { kind: "refused", response: refusal(401, why, ["WWW-Authenticate", 'Bearer realm="holdfast"']) };
}

function tooManyCalls(seconds: number): McpResponse {
  return refusal(429, `Too many calls. Try again in ${seconds} seconds.`, ["Retry-After", String(seconds)]);
}

/** The operator has not installed the library. */
function refuseWithoutPackage(error: unknown): McpResponse {
  if (error instanceof HoldfastError) return refusal(501, error.message);
  throw error;
}

/** Refusals have the form of the protocol, whose clients show the message. */
function refusal(status: Status, message: string, headers: readonly string[] = []): McpResponse {
  return { status, headers, body: JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }) };
}

/** Messages have four levels. What clients say about themselves has a few more. */
const messageBounds = { jsonDepth: 20, jsonKeys: 1_000 };

/** Headers that the library reads. */
const readHeaders = ["accept", "content-type", "mcp-protocol-version"] as const;

function requestOf({ headers }: IncomingMessage): Request {
  const given = readHeaders.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, String(headers[name])] as const],
  );
  return new Request("http://holdfast.invalid/", {
    method: "POST",
    headers: given.map(([name, value]) => [name, value]),
  });
}
