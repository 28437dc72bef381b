import { Validator } from "@seriousme/openapi-schema-validator";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiService, openApiService } from "../../../tests/kit/api-service.ts";
import { apiLimits, apiLimitsOf } from "./limits.ts";
import type { AnyRoute } from "./route.ts";
import { apiRoutes } from "./routes/table.ts";
import { checkBySchema } from "./schema/check.ts";
import type { JsonSchema } from "./schema/schema.ts";

describe("the API", { timeout: 120_000 }, () => {
  let service: ApiService;
  let token: string;
  let now = 0;

  beforeAll(async () => {
    service = await openApiService({ limits: { bodyBytes: 2_000, perMinute: 60 }, elapsed: () => now });
    await service.join("root@api.test", "owner");
    token = await service.token({ kind: "person", email: "root@api.test" }, ["admin"]);
  }, 120_000);

  afterAll(() => service.close());

  /** As an owner of all projects, each time after a pause. */
  const call: ApiService["call"] = (operation, sent) => {
    now += 60_000;
    return service.call(operation, { token, ...sent });
  };

  test("describes every refusal as a problem with a code that programs can rely on", async () => {
    const missing = await call("GET /projects/1/issues/77");
    expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    expect(missing.json).toEqual({
      type: "urn:holdfast:api-unknown",
      title: "There is no such issue.",
      status: 404,
      code: "api-unknown",
      detail: "Check the address. What belongs to other people's projects is unknown, too.",
    });
    const problems: readonly (readonly [
      operation: string,
      body: unknown,
      status: number,
      code: string,
      path?: string,
    ])[] = [
      ["GET /nothing", undefined, 404, "api-no-route"],
      ["GET /projects/%ff", undefined, 404, "api-no-route"],
      ["DELETE /projects/1/issues", undefined, 405, "api-wrong-method"],
      ["GET /projects/one", undefined, 400, "api-invalid", "project"],
      ["GET /projects/1/issues?limit=500", undefined, 400, "api-invalid", "limit"],
      ["GET /projects/1/issues?page=2", undefined, 400, "api-invalid", "page"],
      ["GET /projects/1/issues?sort=events&sort=stuck", undefined, 400, "api-invalid", "sort"],
      ["GET /projects/1/issues?cursor=next", undefined, 400, "api-invalid", "cursor"],
      ["GET /projects/1/issues?q=is:nothing", undefined, 400, "api-invalid", "q"],
      ["POST /projects/1/issues/1/changes", "{", 400, "api-not-json"],
      ["POST /projects/1/issues/1/changes", { kind: "burn" }, 422, "api-invalid", "/kind"],
      ["POST /projects/1/issues/1/changes", { kind: "comment" }, 422, "api-invalid", "/text"],
      ["POST /projects/1/issues/1/changes", { kind: "reopen", by: "me" }, 422, "api-invalid", "/by"],
      [
        "POST /projects/1/issues/changes",
        { numbers: [1, "2"], change: { kind: "reopen" } },
        422,
        "api-invalid",
        "/numbers/1",
      ],
      ["POST /projects/1/issues/1/changes", { kind: "comment", text: "x".repeat(2_000) }, 413, "api-body-too-large"],
      ["POST /projects/1/issues/1/changes", { kind: "assign", to: "max@api.test" }, 422, "api-invalid", "/to"],
      ["POST /projects/1/issues/1/changes", { kind: "undo" }, 409, "api-conflict"],
      ["POST /projects/1/issues/1/changes", { kind: "mute", until: "for-ever" }, 422, "api-invalid", "/until"],
    ];
    for (const [operation, body, status, code, path] of problems) {
      const { json } = await call(operation, { body });
      expect([operation, json]).toEqual([operation, expect.objectContaining({ status, code, ...(path && { path }) })]);
    }
  });

  test("asks and changes what the console asks and changes", async () => {
    const { own, trace } = service.events;
    const list = await call("GET /projects/1/issues?q=is:unresolved%20basket");
    expect(list.json).toMatchObject({ items: [{ number: 1, title: "The basket is empty", events: 1 }] });
    expect(list.json).not.toMatchObject({ items: [{ id: expect.anything() }] });
    const comment = { kind: "comment", text: "Looking into it" };
    expect((await call("POST /projects/1/issues/1/changes", { body: comment })).status).toBe(200);
    const resolve = { numbers: [1, 1, 99], change: { kind: "resolve", in: "now" } };
    expect((await call("POST /projects/1/issues/changes", { body: resolve })).json).toEqual({ changed: 1 });
    const details = await call("GET /projects/1/issues/1");
    expect(details.json).toMatchObject({
      issue: { number: 1, state: { kind: "resolved", by: "root@api.test" } },
      history: [{ by: "root@api.test", what: comment }, { what: { kind: "state" } }],
    });
    expect((await call("GET /projects/1/issues/1/events")).json).toMatchObject({ items: [{ eventId: own }] });
    const event = await call(`GET /projects/1/events/${own}`);
    expect(event.json).toMatchObject({ id: own, link: `https://errors.test/_holdfast/1/events/${own}` });
    const markdown = await call(`GET /projects/1/events/${own}`, { headers: { Accept: "text/markdown, */*" } });
    expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(markdown.text).toContain("The basket is empty");
    expect((await call(`GET /projects/1/traces/${trace}`)).json).toMatchObject({ traceId: trace });
    expect((await call("GET /projects/1/releases/shop@1.0.0")).json).toMatchObject({ release: { name: "shop@1.0.0" } });
    const feedback = await call("GET /projects/1/feedback");
    expect(feedback.json).toMatchObject({ items: [{ message: "I wanted to pay" }] });
    const { items } = feedback.json as { items: { id: number }[] };
    const archive = { ids: items.map(({ id }) => id), archived: true };
    expect((await call("POST /projects/1/feedback/changes", { body: archive })).json).toEqual({ changed: 1 });
    const mute = { name: "nightly", environment: "production", change: "mute" };
    const checkIns = await call("GET /projects/1/check-ins");
    expect(checkIns.json).toMatchObject({ items: [{ name: "nightly", isMuted: false }] });
    const [{ environment = undefined } = {}] = (checkIns.json as { items: { environment?: string }[] }).items;
    const muted = await call("POST /projects/1/check-ins/changes", { body: { ...mute, environment } });
    expect(muted.status).toBe(204);
    expect((await call("GET /projects/1/check-ins")).json).toMatchObject({ items: [{ isMuted: true }] });
    const made = await call("POST /projects", { body: { name: "Third" } });
    expect([made.status, made.json]).toEqual([201, { id: 3, name: "Third" }]);
    const channel = { name: "On call", channel: { kind: "mail", to: ["ops@api.test"] } };
    expect((await call("POST /projects/1/alerts/channels", { body: channel })).status).toBe(204);
    expect((await call("GET /projects/1/alerts")).json).toMatchObject({ channels: [{ name: "On call" }] });
    const audit = await call("GET /projects/1/audit?limit=3");
    expect(audit.text).toContain("muted the schedule nightly");
  });

  test("gives long lists page by page, without a gap and without a repetition", async () => {
    for (const name of ["A", "B", "C", "D", "E"]) await call("PATCH /projects/2", { body: { name } });
    const read = async (list: string): Promise<string[]> => {
      const seen: string[] = [];
      for (let next: string | undefined = ""; next !== undefined; ) {
        const { json } = await call(`GET /projects/${list}limit=1${next && `&cursor=${next}`}`);
        const page = json as { items: unknown[]; next?: string };
        expect(page.items.length).toBeLessThanOrEqual(1);
        seen.push(...page.items.map((item) => JSON.stringify(item)));
        next = page.next;
      }
      return seen;
    };
    const whole = async (list: string): Promise<string[]> => {
      const { json } = await call(`GET /projects/${list}limit=200`);
      return (json as { items: unknown[] }).items.map((item) => JSON.stringify(item));
    };
    for (const list of ["2/audit?", "1/logs?", "1/logs?q=basket&levels=info,error&", "1/issues?", "1/issues/1/events?"])
      expect([list, await read(list)]).toEqual([list, await whole(list)]);
    expect((await whole("2/audit?")).length).toBeGreaterThanOrEqual(5);
    expect((await whole("1/logs?q=basket&")).length).toBe(2);
  });

  test("sends what has not changed only once, and permits no cache to keep it", async () => {
    const first = await call("GET /projects/1/issues");
    expect(first.headers.get("cache-control")).toBe("private, no-store");
    const tag = first.headers.get("etag") ?? "";
    const again = await call("GET /projects/1/issues", { headers: { "If-None-Match": tag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    await call("POST /projects/1/issues/1/changes", { body: { kind: "mute", until: { kind: "for-ever" } } });
    const changed = await call("GET /projects/1/issues", { headers: { "If-None-Match": tag } });
    expect([changed.status, changed.headers.get("etag") === tag]).toEqual([200, false]);
    const head = await call("HEAD /projects/1/issues");
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", changed.headers.get("etag")]);
  });

  test("slows down one token that asks too often, says for how long, and no other", async () => {
    const busy = await service.token({ kind: "project", project: 1 }, ["read"]);
    const other = await service.token({ kind: "project", project: 1 }, ["read"]);
    const ask = (by: string) => service.call("GET /me", { token: by });
    for (let n = 0; n < 60; n++) expect((await ask(busy)).status).toBe(200);
    const refused = await ask(busy);
    expect(refused.json).toMatchObject({ status: 429, code: "api-too-many-requests" });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await ask(other)).status).toBe(200);
    now += 1_000;
    expect((await ask(busy)).status).toBe(200);
  });

  test("has limits that the operator sets", () => {
    expect(apiLimitsOf({})).toEqual(apiLimits);
    const set = { HOLDFAST_API_PER_MINUTE: "5", HOLDFAST_API_BODY_BYTES: "9", HOLDFAST_IMPORT_BYTES: "99" };
    expect(apiLimitsOf(set)).toEqual({ perMinute: 5, bodyBytes: 9, importBytes: 99 });
    expect(() => apiLimitsOf({ HOLDFAST_IMPORT_BYTES: "-1" })).toThrow("[service-wrong-import-bytes]");
    expect(() => apiLimitsOf({ HOLDFAST_API_PER_MINUTE: "0" })).toThrow("[service-wrong-api-rate]");
    expect(() => apiLimitsOf({ HOLDFAST_API_BODY_BYTES: "much" })).toThrow("[service-wrong-api-body]");
  });

  test("is described by a valid OpenAPI file, and no input that it describes, or nearly, makes it fail", async () => {
    const { json, headers } = await service.call("GET /openapi.json");
    expect(headers.get("content-type")).toBe("application/json");
    const document = json as OpenApi;
    expect(await new Validator().validate(JSON.parse(JSON.stringify(json)))).toEqual({ valid: true });
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({ path, method, described })),
    );
    expect(operations.length).toBe(Object.keys(apiRoutes).length);
    for (const { path, method, described } of operations) {
      const route: AnyRoute = apiRoutes[`${method.toUpperCase()} ${path}` as keyof typeof apiRoutes];
      await fc.assert(
        fc.asyncProperty(requestOf(path, described, document), async ({ address, body }) => {
          const answer = await call(`${method.toUpperCase()} ${address}`, body === undefined ? {} : { body });
          expect(answer.status).toBeLessThan(500);
          if (answer.status === 200 && route.response && answer.json !== undefined)
            expect(checkBySchema(route.response, answer.json)).toMatchObject({ kind: "valid" });
        }),
        { numRuns: runs, seed: 7 },
      );
    }
    expect(service.failures).toEqual([]);
  });
});

const runs = process.env.HOLDFAST_TEST_LONG === undefined ? 25 : 1_000;

interface OpenApi {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, object> };
}

interface Described {
  parameters: { name: string; in: "path" | "query"; required: boolean; schema: object }[];
  requestBody?: { content: { "application/json": { schema: object } } };
}

/** Mostly valid, so that handlers run; sometimes one value is anything. */
function requestOf(path: string, { parameters, requestBody }: Described, document: OpenApi) {
  const values = parameters.map(({ name, in: where, required, schema }) =>
    fc.record({
      name: fc.constant(name),
      where: fc.constant(where),
      value: name === "project" ? projects : nearly(valuesOf(schema, document)),
      isSent: required ? fc.constant(true) : fc.boolean(),
    }),
  );
  const schema = requestBody?.content["application/json"].schema;
  return fc
    .record({
      values: fc.tuple(...values),
      body: schema === undefined ? fc.constant(undefined) : nearly(valuesOf(schema, document)),
    })
    .map(({ values: given, body }) => {
      const search = new URLSearchParams();
      let address = path;
      for (const { name, where, value, isSent } of given) {
        if (where === "path") address = address.replace(`{${name}}`, encodeURIComponent(String(value)) || "x");
        else if (isSent) search.set(name, String(value));
      }
      return { address: `${address}?${search}`, body: body === undefined ? undefined : JSON.stringify(body) };
    });
}

const projects = fc.oneof(
  { arbitrary: fc.constantFrom<unknown>(1, 2), weight: 9 },
  { arbitrary: fc.integer(), weight: 1 },
);

function nearly(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: valid, weight: 6 }, { arbitrary: fc.jsonValue(), weight: 1 });
}

/** Values that a published schema admits. */
function valuesOf(described: object, document: OpenApi): fc.Arbitrary<unknown> {
  if ("$ref" in described) {
    const name = String(described.$ref).split("/").at(-1) ?? "";
    return valuesOf(document.components.schemas[name] ?? {}, document);
  }
  const schema: JsonSchema = described;
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valuesOf(one, document)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const { minimum: min = -1_000, maximum: max = 2 ** 45 } = schema;
  switch (schema.type) {
    case "string":
      return fc.string({
        unit: "grapheme",
        minLength: schema.minLength ?? 0,
        maxLength: Math.min(schema.maxLength ?? 40, 40),
      });
    case "integer":
      return fc.oneof(
        fc.constant(Math.max(1, min)),
        fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) }),
      );
    case "number":
      return fc.double({ min, max, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valuesOf(schema.items ?? {}, document), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case "object": {
      const { properties = {}, required = [] } = schema;
      const known = Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, valuesOf(one, document)]),
      );
      const optional = Object.keys(properties).filter((name) => !required.includes(name));
      if (Object.keys(properties).length === 0)
        return fc.dictionary(fc.constantFrom("kind", "url", "to"), fc.jsonValue());
      return fc.record(known, { requiredKeys: Object.keys(properties).filter((name) => !optional.includes(name)) });
    }
    default:
      return fc.jsonValue();
  }
}
