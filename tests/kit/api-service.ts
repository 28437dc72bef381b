import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonItem, newEventId, newSpanId, newTraceId, writeEnvelope } from "#protocol";
import type { Access } from "../../src/service/accounts/access.ts";
import type { Roles } from "../../src/service/accounts/people.ts";
import { createApiHandler, type HandleApi } from "../../src/service/api/handle-api-request.ts";
import { type ApiLimits, apiLimits } from "../../src/service/api/limits.ts";
import { type ConsoleApi, openConsoleApi } from "../../src/service/console-api/console-api.ts";
import type { HealingSource } from "../../src/service/console-api/healing-api.ts";
import type { KeptSource } from "../../src/service/console-api/kept-api.ts";
import { openService } from "../../src/service/open-service.ts";
import type { Scope } from "../../src/service/tokens/scopes.ts";
import type { TokenOwner } from "../../src/service/tokens/token.ts";

export const origin = "https://errors.test";
const base = `${origin}/_holdfast/api/v1`;

export interface ApiAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined if the body is no JSON. */
  json: unknown;
}

export interface ApiService {
  api: ConsoleApi;
  handle: HandleApi;
  /** Errors that no response explains. */
  failures: unknown[];
  /** Events of project 1 and of project 2, both with issue 1. */
  events: { own: string; other: string; trace: string };
  /** Files further reports of project 1. */
  report(items: Parameters<typeof writeEnvelope>[1], eventId?: string): Promise<void>;
  call(operation: string, how?: Sent): Promise<ApiAnswer>;
  token(owner: TokenOwner, scopes: readonly Scope[]): Promise<string>;
  /** Makes an account. Returns the value of its session cookie. */
  join(email: string, roles: Roles): Promise<string>;
  close(): Promise<void>;
}

export interface Sent {
  token?: string;
  session?: string;
  body?: unknown;
  headers?: Record<string, string>;
  address?: string;
}

export interface ApiServiceOptions {
  limits?: Partial<ApiLimits>;
  elapsed?: () => number;
  /** The application of project 1 in the same process. */
  application?: { kept: KeptSource; healing: HealingSource };
  /** Replaces what the handler asks, for example by an object that notes each call. */
  observe?: (api: ConsoleApi) => ConsoleApi;
}

/** A service with two projects in a temporary folder, reports in both of them, and its API without a network. */
export async function openApiService(options: ApiServiceOptions = {}): Promise<ApiService> {
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-api-"));
  const service = await openService({ dataFolder });
  const accounts = service.shared.openAccounts({ refusals: service.refusals });
  const access: Access = { kind: "accounts", accounts };
  const { application, observe = (one) => one } = options;
  const api = openConsoleApi({
    service,
    dataFolder,
    access,
    ...(application && {
      kept: { project: 1, source: () => application.kept },
      healing: { project: 1, source: () => application.healing },
    }),
  });
  const failures: unknown[] = [];
  const handle = createApiHandler({
    api: observe(api),
    onError: (error) => failures.push(error),
    limits: { ...apiLimits, ...options.limits },
    ...(options.elapsed && { elapsed: options.elapsed }),
  });
  await api.administration.addProject("Other", "test");
  const events = { own: newEventId(), other: newEventId(), trace: newTraceId() };
  await service.accept(1, errorEnvelope(events.own, "The basket is empty", events.trace));
  await service.accept(2, errorEnvelope(events.other, "The vault is open", newTraceId()));
  await service.drained();
  return {
    api,
    handle,
    failures,
    events,
    async report(items, eventId = newEventId()) {
      await service.accept(1, writeEnvelope({ eventId }, items));
      await service.drained();
    },
    async call(operation, { token, session, body, headers = {}, address = "192.0.2.1" } = {}) {
      const [method = "GET", path = "/"] = operation.split(" ");
      const request = new Request(base + path, {
        method,
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(session !== undefined && { Cookie: `a=b; __Host-holdfast-console=${session}`, Origin: origin }),
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const response = await handle(request, { address });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: readJson(text) };
    },
    async token(owner, scopes) {
      const created = await api.tokens.create(owner, { name: `token ${newSpanId()}`, scopes }, "test");
      if (created.kind === "refused") throw new Error(created.why);
      return created.secret;
    },
    async join(email, roles) {
      const secret = await accounts.invites.create(roles, email);
      const made = await accounts.accept(secret, { email, password: `${email} ${email}` }, { address: "192.0.2.9" });
      if (made.kind !== "signed-in") throw new Error(made.kind);
      return made.session;
    },
    async close() {
      api.close();
      await service.close();
      rmSync(dataFolder, { recursive: true });
    },
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An error with a log line and a visitor's words, as a client sends them. */
function errorEnvelope(eventId: string, message: string, traceId: string): Uint8Array {
  const now = Date.now() / 1_000;
  return writeEnvelope({ eventId }, [
    jsonItem("event", {
      event_id: eventId,
      timestamp: now,
      level: "error",
      platform: "node",
      release: "shop@1.0.0",
      environment: "production",
      transaction: "/basket",
      user: { id: "7", email: "jo@shop.test" },
      contexts: { trace: { trace_id: traceId, span_id: newSpanId() } },
      exception: {
        values: [
          {
            type: "BasketError",
            value: message,
            stacktrace: { frames: [{ filename: "src/basket.ts", function: "pay", lineno: 3, in_app: true }] },
          },
        ],
      },
    }),
    jsonItem("user_report", { event_id: eventId, name: "Jo", email: "jo@shop.test", comments: "I wanted to pay" }),
    jsonItem("check_in", { check_in_id: newEventId(), monitor_slug: "nightly", status: "ok" }),
    jsonItem("log", {
      items: [
        { timestamp: now - 1, trace_id: traceId, level: "info", body: "basket opened" },
        { timestamp: now, trace_id: traceId, level: "error", body: "basket failed" },
      ],
    }),
  ]);
}
