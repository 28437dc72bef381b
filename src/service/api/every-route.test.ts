import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonItem, newEventId, newSpanId } from "#protocol";
import { type ApiService, openApiService } from "../../../tests/kit/api-service.ts";
import type { ConsoleApi } from "../console-api/console-api.ts";
import type { HealingSource } from "../console-api/healing-api.ts";
import type { KeptSource } from "../console-api/kept-api.ts";
import type { AnyRoute, ApiOutcome, Operation } from "./route.ts";
import { apiRoutes } from "./routes/table.ts";
import { checkBySchema } from "./schema/check.ts";
import type { JsonSchema } from "./schema/schema.ts";

/** A call of a route that succeeds: the rest of its address, and its body. */
interface Example {
  /** Values of `{parameters}`, other than the project, which is 1. */
  readonly in?: Readonly<Record<string, string | number>>;
  readonly search?: string;
  readonly body?: object;
  /** A refusal that shows that the handler was reached. By default the call succeeds. */
  readonly status?: number;
}

const keptId = "a".repeat(32);
const head = {
  id: keptId,
  digest: "7K2M-9QXD-4TB0",
  lastDigest: undefined,
  state: "failed",
  keptAt: new Date(1_000),
  changedAt: new Date(2_000),
  by: undefined,
  runs: 0,
  bytes: 10,
} as const;

const kept: KeptSource = {
  heads: async () => [head],
  show: async (name) => ({
    ...head,
    of: { route: "/order", action: "send" },
    unreadable: undefined,
    fields: [["dish", "soup"]],
    files: name === keptId ? [{ field: "photo", name: "a.png", type: "image/png", size: 4 }] : [],
  }),
  check: async () => ({ kind: "ready", isUnsure: false, route: "/order", action: "send" }),
  run: async () => ({ kind: "done" }),
  forget: async () => true,
};

const counted = { requests: 20, failures: 9 };
const healing: HealingSource = {
  status: async () => ({
    name: "shop@1.1.0",
    before: "shop@1.0.0",
    never: undefined,
    routes: [
      {
        route: "/basket",
        on: "shop@1.0.0",
        state: { kind: "healed", cause: { since: 5, new: counted, before: counted }, triedAt: undefined },
      },
    ],
  }),
  pin: async () => undefined,
};

const rule = {
  kind: "frequency",
  isOn: true,
  filters: { levels: ["error"], environments: [], routes: [] },
  events: 10,
  visitors: 10,
  minutes: 10,
  factor: 2,
} as const;

/** In this order: what a call makes, a later one reads, changes and removes. */
const examples = {
  "GET /openapi.json": {},
  "POST /logins": { body: { code: "x", verifier: "x".repeat(43) }, status: 404 },
  "POST /logins/end": { body: { token: "hft_none" } },
  "GET /me": {},
  "PATCH /me": { body: { name: "Rosa" } },
  "GET /me/sessions": {},
  "POST /me/sessions/end-others": {},
  "DELETE /me/sessions/{session}": { in: { session: "gone" }, status: 404 },
  "GET /me/second-factor": {},
  "POST /me/tokens": { body: { name: "script", scopes: ["read"], expires: 9_999_999_999_999 } },
  "GET /me/tokens": {},
  "DELETE /me/tokens/{token}": { in: { token: "{ownToken}" } },
  "GET /digests/{digest}": { in: { digest: "{own}" } },
  "GET /projects": {},
  "POST /projects": { body: { name: "Third" } },
  "GET /projects/{project}": {},
  "PATCH /projects/{project}": { body: { name: "Shop", sourceLink: "https://git.test/{commit}/{file}#L{line}" } },
  "GET /projects/{project}/issues": { search: "?q=basket" },
  "POST /projects/{project}/issues/changes": { body: { numbers: [1], change: { kind: "resolve", in: "now" } } },
  "POST /projects/{project}/issues/{number}/changes": {
    in: { number: 1 },
    body: { kind: "mute", until: { kind: "events", more: 5 } },
  },
  "POST /projects/{project}/issues/{number}/ticket": {
    in: { number: 1 },
    body: { address: "https://tickets.test/7" },
  },
  "GET /projects/{project}/issues/{number}": { in: { number: 1 } },
  "GET /projects/{project}/issues/{number}/events": { in: { number: 1 } },
  "GET /projects/{project}/issues/{number}/visitors": { in: { number: 1 } },
  "GET /projects/{project}/issues/news": { search: "?after=0" },
  "GET /projects/{project}/issues/counts": {},
  "GET /projects/{project}/issues/merge-targets": { search: "?numbers=1" },
  "PUT /projects/{project}/ticket-template": { body: { template: "https://tickets.test/new?t={title}&b={body}" } },
  "GET /projects/{project}/ticket-template": {},
  "GET /projects/{project}/issues/{number}/new-ticket": { in: { number: 1 } },
  "GET /projects/{project}/events/{id}": { in: { id: "{rich}" } },
  "GET /projects/{project}/events/{id}/attachments": { in: { id: "{rich}" } },
  "GET /projects/{project}/events/{id}/attachments/{attachment}": { in: { id: "{rich}", attachment: "{attachment}" } },
  "GET /projects/{project}/find": { search: "?q={own}" },
  "GET /projects/{project}/search": { search: "?q=jo" },
  "GET /projects/{project}/traces/{id}": { in: { id: "{trace}" } },
  "GET /projects/{project}/logs": { search: "?limit=1" },
  "GET /projects/{project}/logs/chart": {},
  "GET /projects/{project}/logs/lines": {},
  "GET /projects/{project}/visitors/{visitor}": { in: { visitor: "{visitor}" } },
  "GET /projects/{project}/pages": {},
  "GET /projects/{project}/pages/route": { search: "?route=/basket" },
  "GET /projects/{project}/pages/examples": { search: "?route=/basket" },
  "GET /projects/{project}/pages/budgets": {},
  "GET /projects/{project}/releases": {},
  "GET /projects/{project}/releases/{id}": { in: { id: "shop@1.0.0" } },
  "GET /projects/{project}/releases/compared": { search: "?from=shop@1.0.0&to=shop@1.1.0" },
  "GET /projects/{project}/releases/{id}/deploys": { in: { id: "shop@1.0.0" } },
  "GET /projects/{project}/overview": {},
  "GET /projects/{project}/environments": {},
  "GET /projects/{project}/live": {},
  "GET /projects/{project}/live/visitors": {},
  "GET /projects/{project}/balance": {},
  "GET /projects/{project}/balance/after-errors": { status: 404 },
  "GET /projects/{project}/spans": {},
  "GET /projects/{project}/slow-queries": {},
  "GET /projects/{project}/feedback": {},
  "POST /projects/{project}/feedback/changes": { body: { ids: [1], archived: true } },
  "GET /projects/{project}/check-ins": {},
  "POST /projects/{project}/check-ins/changes": {
    body: { name: "hourly", environment: "staging", change: "mute" },
  },
  "POST /projects/{project}/alerts/channels": {
    body: { name: "On call", channel: { kind: "webhook", url: "https://hooks.test/x", secret: "s".repeat(20) } },
  },
  "GET /projects/{project}/alerts": {},
  "PUT /projects/{project}/alerts/rules": { body: rule },
  "POST /projects/{project}/alerts/rules/preview": { body: rule },
  "PUT /projects/{project}/alerts/conditions": {
    body: { allowedHosts: [], summaryMail: "off", quietHours: { from: 22, to: 6, timeZone: "Europe/Berlin" } },
  },
  "PUT /projects/{project}/alerts/channels/{id}": {
    in: { id: "{channel}" },
    body: { name: "Night", channel: { kind: "webhook", url: "https://hooks.test/y" } },
  },
  "POST /projects/{project}/alerts/channels/{id}/test": { in: { id: "{channel}" }, status: 409 },
  "DELETE /projects/{project}/alerts/channels/{id}": { in: { id: "{channel}" } },
  "PUT /projects/{project}/limit": { body: { perMinute: 5_000 } },
  "GET /projects/{project}/limit": {},
  "POST /projects/{project}/keys": { body: { name: "Mobile", origins: ["https://shop.test"], perMinute: 100 } },
  "GET /projects/{project}/keys": {},
  "PUT /projects/{project}/keys/{id}": { in: { id: "{key}" }, body: { name: "Phone", origins: [] } },
  "POST /projects/{project}/keys/{id}/changes": { in: { id: "{key}" }, body: { change: "disable" } },
  "POST /projects/{project}/keys/renew": {},
  "POST /projects/{project}/filters": { body: { kind: "message", pattern: "ResizeObserver*" } },
  "GET /projects/{project}/filters": {},
  "DELETE /projects/{project}/filters/{id}": { in: { id: "{filter}" } },
  "POST /projects/{project}/scrub-rules": { body: { path: "user.email", expression: "" } },
  "GET /projects/{project}/scrub-rules": {},
  "POST /projects/{project}/scrub-rules/trial": { body: { path: "**.email", expression: "" } },
  "DELETE /projects/{project}/scrub-rules/{id}": { in: { id: "{rule}" } },
  "PUT /projects/{project}/ownership": { body: { rules: "path:src/** nobody@api.test" } },
  "GET /projects/{project}/ownership": {},
  "POST /projects/{project}/ownership/trial": { body: { rules: "route:** nobody@api.test" } },
  "POST /projects/{project}/ownership/codeowners": { body: { file: "/src/ nobody@api.test" } },
  "GET /projects/{project}/issues/{number}/owner": { in: { number: 1 } },
  "PUT /projects/{project}/spikes": { body: { isOn: true, times: 10, least: 100 } },
  "GET /projects/{project}/spikes": {},
  "POST /projects/{project}/people": { body: { email: "new@api.test", role: "viewer" } },
  "GET /projects/{project}/people": {},
  "PUT /projects/{project}/people/{email}": { in: { email: "mia@api.test" }, body: { role: "member" } },
  "POST /projects/{project}/people/{email}/end-sessions": { in: { email: "mia@api.test" } },
  "DELETE /projects/{project}/people/{email}": { in: { email: "new@api.test" } },
  "GET /projects/{project}/audit": { search: "?limit=2" },
  "POST /projects/{project}/tokens": { body: { name: "pipeline", scopes: ["upload"] } },
  "GET /projects/{project}/tokens": {},
  "DELETE /projects/{project}/tokens/{token}": { in: { token: "{projectToken}" } },
  "POST /projects/{project}/upload-tokens": { body: { name: "ci" } },
  "GET /projects/{project}/upload-tokens": {},
  "DELETE /projects/{project}/upload-tokens/{name}": { in: { name: "ci" } },
  "POST /projects/{project}/searches": {
    body: { screen: "issues", name: "Mine", search: "q=is%3Aunresolved", isShared: true },
  },
  "GET /projects/{project}/searches": {},
  "PATCH /projects/{project}/searches/{id}": { in: { id: "{search}" }, body: { name: "Ours" } },
  "DELETE /projects/{project}/searches/{id}": { in: { id: "{search}" } },
  "GET /projects/{project}/kept": {},
  "GET /projects/{project}/kept/{id}": { in: { id: keptId } },
  "POST /projects/{project}/kept/run": { body: { names: [keptId] } },
  "DELETE /projects/{project}/kept/{id}": { in: { id: keptId } },
  "GET /projects/{project}/healing": {},
  "PUT /projects/{project}/healing": { body: { route: "/basket", to: "before" } },
  "POST /projects/{project}/scrub": {
    body: { text: "password=x", rules: { alsoSecret: [], keepAddresses: false } },
  },
  "GET /settings": {},
  "PUT /settings": {
    body: {
      keepDays: 30,
      keepBytes: 1_000_000_000,
      scrub: { alsoSecret: ["pin"], keepAddresses: false },
      attachments: { keep: true, fileBytes: 1_000_000, eventBytes: 2_000_000, dayBytes: 9_000_000 },
    },
  },
  "GET /storage": {},
  "GET /projects/{project}/export": {},
  "POST /projects/{project}/import": {
    body: {
      lines: [{ kind: "figures", of: "release", rows: [{ name: "1.0", first_seen: 1, last_seen: 2, events: 1 }] }],
    },
  },
  "POST /projects/{project}/visitor-exports": { body: { identity: "jo@shop.test" } },
  "POST /projects/{project}/erasures/plan": { body: { what: "visitor", identity: "jo@shop.test" } },
  "POST /projects/{project}/erasures": { body: { what: "issue", number: 1 } },
  "GET /projects/{project}/erasures": {},
} satisfies Record<Operation, Example>;

/** Methods of the console's API that no route offers, each with its reason. */
const withoutRoute: Readonly<Record<string, string>> = {
  now: "The clock of the process.",
  settled: "For tests and the console's own forms: resolves when reports of this process are filed.",
  close: "Belongs to the process.",
  newestRow: "Whether there is anything yet. `live` says it with its position.",
  newIssueCount: "A number of the console's navigation. `issues/counts` and `overview` have it.",
  affectedVisitors: "A part of `overview`.",
  usual: "A part of `overview`.",
  visitorNames: "Names for the console's lists. `visitors/{visitor}` has the name of one.",
  keptSince: "`storage` has the files with events and their times.",
  issueNeighbours: "The arrows between two issues of a list on the screen.",
  issueMeant: "`find` says which issue a text names.",
  releaseNames: "`releases` has them with their figures.",
  publicState: "Answered to visitors at `/api/N/answer`, by the key of the project.",
  "administration.linkToSource": "Links of the console's stacks. The project has the template.",
  "administration.sourceLink": "The project has it.",
  "administration.record": "Every change of a route writes its own entry.",
  "administration.refuse": "Written by the check of permissions.",
  "tokens.admit": "The check of every request with a token.",
  "tokens.find": "The same for MCP on a machine.",
  "tokens.beginLogin": "A person permits it in the console: a token must not make itself another one this way.",
  "erase.hashOf": "An address of the console. `visitor-exports` and `erasures` take the identity itself.",
  "kept.waiting": "`kept` has the total.",
  "kept.check": "`kept/run` with `trial`.",
  "signIn.provider.begin": "A browser signs in.",
  "signIn.provider.finish": "A browser signs in.",
  "signIn.provider.endSessionAddress": "A browser signs out.",
};

describe("every route of the API", { timeout: 120_000 }, () => {
  let service: ApiService;
  let token: string;
  const asked = new Set<string>();
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    service = await openApiService({ application: { kept, healing }, observe: (api) => observed(api, asked) });
    await service.join("root@api.test", "owner");
    await service.join("mia@api.test", { 1: "viewer" });
    token = await service.token({ kind: "person", email: "root@api.test" }, ["admin"]);
    Object.assign(ids, service.events, { rich: newEventId() });
    await service.report(richReport(ids.rich ?? "", service.events.trace), ids.rich);
    const { items } = (await service.call("GET /projects/1/live/visitors", { token })).json as Items;
    ids.visitor = String(items[0]?.visitor);
  }, 120_000);

  afterAll(() => service.close());

  test("answers as its schema says, with everything that its handler found, and nothing is only an object", async () => {
    expect(Object.keys(examples).toSorted()).toEqual(Object.keys(apiRoutes).toSorted());
    const wrong: unknown[] = [];
    for (const [operation, example] of Object.entries<Example>(examples)) {
      const route: AnyRoute = apiRoutes[operation as Operation];
      const { outcome, answer } = await callOnce(operation, example, route);
      const { status = answer.status < 300 ? answer.status : "success" } = example;
      if (answer.status !== status) wrong.push([operation, answer.status, answer.text.slice(0, 300)]);
      if (route.response === undefined || answer.status >= 300) continue;
      const checked = checkBySchema(route.response, answer.json);
      if (checked.kind === "invalid") wrong.push([operation, checked]);
      // Undefined values are in no response.
      const whole: unknown = outcome && "body" in outcome ? JSON.parse(JSON.stringify(outcome.body)) : undefined;
      const missing = leftOut(route.response, whole).filter(
        (path) => !(path.slice(path.lastIndexOf("/")) in leftOutOnPurpose),
      );
      if (missing.length > 0) wrong.push([operation, missing]);
      keepIds(operation, answer.json);
    }
    expect(wrong).toEqual([]);
    expect(service.failures).toEqual([]);
  });

  test("has a response that says which properties it has", () => {
    const vague = Object.entries<AnyRoute>(apiRoutes).flatMap(([operation, { response }]) =>
      response !== undefined && isVague(response) ? [operation] : [],
    );
    expect(vague).toEqual(["GET /openapi.json"]);
  });

  test("leaves no method of the console's API without a route, except those with a reason", async () => {
    const trial = { names: [keptId], trial: true };
    await service.call("POST /projects/1/kept/run", { token, body: trial });
    await service.call(`GET /projects/1/events/${ids.rich}`, { token, headers: { Accept: "text/markdown" } });
    const methods = methodsOf(service.api).filter((name) => !name.startsWith("access."));
    const missing = methods.filter((name) => !asked.has(name) && withoutRoute[name] === undefined);
    expect(missing).toEqual([]);
    expect(Object.keys(withoutRoute).filter((name) => !methods.includes(name) && !name.startsWith("signIn."))).toEqual(
      [],
    );
  });

  async function callOnce(operation: string, example: Example, route: AnyRoute) {
    let outcome: ApiOutcome<unknown> | undefined;
    const { handle } = route;
    const changeable = route as { handle: AnyRoute["handle"] };
    changeable.handle = async (call) => {
      outcome = await handle.call(route, call);
      return outcome;
    };
    try {
      let address = operation.replace("{project}", "1");
      for (const [name, value] of Object.entries(example.in ?? {}))
        address = address.replace(`{${name}}`, encodeURIComponent(filled(String(value))));
      const answer = await service.call(address + filled(example.search ?? ""), { token, body: example.body });
      return { outcome, answer };
    } finally {
      changeable.handle = handle;
    }
  }

  function filled(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
  }

  /** What later examples name. */
  function keepIds(operation: string, json: unknown): void {
    const { id, publicKey, channels, items, token: made } = json as Made;
    if (operation === "POST /projects/{project}/filters") ids.filter = id ?? "";
    if (operation === "POST /projects/{project}/scrub-rules") ids.rule = id ?? "";
    if (operation === "POST /projects/{project}/searches") ids.search = id ?? "";
    if (operation === "POST /projects/{project}/keys") ids.key = publicKey ?? "";
    if (operation === "POST /me/tokens") ids.ownToken = String(made?.id);
    if (operation === "POST /projects/{project}/tokens") ids.projectToken = String(made?.id);
    if (operation === "GET /projects/{project}/events/{id}/attachments") ids.attachment = String(items?.[0]?.id);
    if (operation === "GET /projects/{project}/alerts") ids.channel = channels?.[0]?.id ?? "";
  }
});

interface Items {
  items: { visitor?: number }[];
}

/** As much of the responses as later examples need. */
interface Made {
  id?: string;
  publicKey?: string;
  channels?: { id: string }[];
  items?: { id?: number }[];
  token?: { id: number };
}

/** What no response has, by the end of its path, with the reason. */
const leftOutOnPurpose: Readonly<Record<string, string>> = {
  "/id": "An id of a row. Issues have numbers, events have ids of their own.",
  "/rowId": "An id of a row.",
  "/mergedInto": "An id of a row.",
  "/issue": "An id of a row, or the issue that the address names.",
  "/project": "The address names it.",
  "/publicKey": "Keys have routes of their own.",
  "/place": "A position of the console. `next` has the last one.",
  "/hasNext": "The console's. `total` says it.",
  "/sparkline": "A picture of the console's list.",
  "/eventsInPeriod": "Of the console's choice of a period.",
  "/chart": "A picture of the console's screen.",
  "/groups": "Ids of rows.",
  "/latest": "The issue has `lastEventId`.",
  "/watch": "What the check of schedules knows, as the store has it. It is there after the first check.",
  "/goneBefore": "A time that no person asked for.",
};

/** An error with everything that a client can send, its trace with a query, a session, and a task. */
function richReport(eventId: string, traceId: string): Parameters<ApiService["report"]>[0] {
  const now = Date.now() / 1_000;
  const root = newSpanId();
  return [
    jsonItem("event", {
      event_id: eventId,
      timestamp: now,
      level: "warning",
      platform: "javascript",
      release: "shop@1.1.0",
      environment: "staging",
      transaction: "/basket",
      server_name: "web-1",
      logger: "shop",
      sdk: { name: "sentry.javascript.node", version: "9.0.0" },
      user: { id: "7", email: "jo@shop.test", username: "jo" },
      tags: { browser: "Firefox" },
      extra: { cart: { items: [1, null] } },
      modules: { react: "19.0.0" },
      fingerprint: ["rich"],
      request: { method: "POST", url: "https://shop.test/basket?step=2" },
      breadcrumbs: { values: [{ timestamp: now - 1, category: "ui.click", message: "Pay", level: "info" }] },
      contexts: { trace: { trace_id: traceId, span_id: root }, os: { name: "Linux" } },
      exception: {
        values: [
          {
            type: "TypeError",
            value: "cart is undefined",
            mechanism: { handled: false, type: "generic" },
            stacktrace: {
              frames: [
                {
                  filename: "src/cart.ts",
                  function: "total",
                  lineno: 3,
                  colno: 5,
                  in_app: true,
                  pre_context: ["function total(cart) {"],
                  context_line: "  return cart.length;",
                  post_context: ["}"],
                  vars: { cart: null },
                },
              ],
            },
          },
        ],
      },
    }),
    {
      header: { type: "attachment", filename: "cart.json", contentType: "application/json" },
      payload: Buffer.from("{}"),
    },
    jsonItem("transaction", {
      event_id: newEventId(),
      type: "transaction",
      transaction: "/basket",
      release: "shop@1.1.0",
      environment: "staging",
      user: { id: "7" },
      start_timestamp: now - 1,
      timestamp: now,
      contexts: { trace: { trace_id: traceId, span_id: root, op: "pageload", data: { vip: true } } },
      measurements: { lcp: { value: 3_100.5, unit: "millisecond" }, cls: { value: 0.2, unit: "" } },
      spans: [1, 2, 3, 4, 5, 6].map((n) => ({
        span_id: newSpanId(),
        parent_span_id: root,
        trace_id: traceId,
        op: "db.query",
        description: "SELECT * FROM dish WHERE id = $1",
        start_timestamp: now - 1 + n / 10,
        timestamp: now - 0.95 + n / 10,
      })),
    }),
    jsonItem("session", {
      sid: newEventId(),
      init: true,
      started: new Date().toISOString(),
      status: "crashed",
      errors: 1,
      attrs: { release: "shop@1.1.0", environment: "staging" },
    }),
    jsonItem("client_report", {
      timestamp: now,
      discarded_events: [{ reason: "queue_overflow", category: "error", quantity: 3 }],
    }),
    jsonItem("check_in", {
      check_in_id: newEventId(),
      monitor_slug: "hourly",
      status: "error",
      environment: "staging",
      duration: 2.5,
      monitor_config: { schedule: { type: "crontab", value: "0 * * * *" }, checkin_margin: 5, timezone: "UTC" },
    }),
  ];
}

/** Paths of properties that a value has and its schema has not. Places in lists are one. */
function leftOut(schema: JsonSchema, value: unknown, path = ""): string[] {
  if (schema.anyOf)
    return schema.anyOf.map((one) => leftOut(one, value, path)).sort((a, b) => a.length - b.length)[0] ?? [];
  if (Array.isArray(value))
    return [...new Set(value.flatMap((item) => leftOut(schema.items ?? {}, item, `${path}/*`)))];
  if (typeof value !== "object" || value === null || schema.type !== "object") return [];
  const { properties = {}, additionalProperties } = schema;
  return Object.entries(value).flatMap(([name, item]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return known === undefined || known === false ? [`${path}/${name}`] : leftOut(known, item, `${path}/${name}`);
  });
}

/** An object without properties, anywhere but where names are data. */
function isVague({ type, properties, additionalProperties, anyOf, items }: JsonSchema): boolean {
  if (anyOf) return anyOf.some(isVague);
  if (items) return isVague(items);
  if (type !== "object") return false;
  if (properties === undefined)
    return additionalProperties !== undefined && Object.keys(additionalProperties).length === 0;
  return Object.values(properties).some((one) => one.type === "object" && one.properties !== undefined && isVague(one));
}

/** The same API, that notes the names of the methods that are called. */
function observed<T extends object>(target: T, asked: Set<string>, path = ""): T {
  return new Proxy(target, {
    get(object, name, receiver) {
      const value: unknown = Reflect.get(object, name, receiver);
      if (typeof name !== "string" || path.startsWith("access")) return value;
      const at = path === "" ? name : `${path}.${name}`;
      if (at === "access") return value;
      if (typeof value === "function") {
        return (...given: unknown[]) => {
          asked.add(at);
          const answered: unknown = Reflect.apply(value, object, given);
          const isApi = (at === "kept" || at === "healing") && typeof answered === "object" && answered !== null;
          return isApi ? observed(answered, asked, at) : answered;
        };
      }
      return typeof value === "object" && value !== null ? observed(value, asked, at) : value;
    },
  });
}

function methodsOf(api: ConsoleApi): string[] {
  const parts = { ...api, kept: api.kept(1), healing: api.healing(1) };
  const named = (target: object, path: string): string[] =>
    Object.entries(target).flatMap(([name, value]) => {
      const at = path + name;
      if (typeof value === "function") return [at];
      const isPart = typeof value === "object" && value !== null && !Array.isArray(value) && name !== "access";
      return isPart ? named(value, `${at}.`) : [];
    });
  return named(parts, "");
}
