import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiAnswer, type ApiService, openApiService, type Sent } from "../../../tests/kit/api-service.ts";
import type { Role } from "../accounts/people.ts";
import type { Scope } from "../tokens/scopes.ts";
import type { Operation } from "./route.ts";
import { apiRoutes } from "./routes/table.ts";

type Wanted = "everyone" | readonly [scope: Scope, role: Role | "identified" | "owner of all"];

const reads = ["read", "viewer"] as const;
const triages = ["triage", "member"] as const;
const administers = ["admin", "owner"] as const;

/** What each operation takes. Written down a second time, so that a change by mistake is noticed. */
const wanted: Readonly<Record<Operation, Wanted>> = {
  "GET /openapi.json": "everyone",
  "POST /logins": "everyone",
  "POST /logins/end": "everyone",
  "GET /me": ["read", "identified"],
  "GET /digests/{digest}": ["read", "identified"],
  "GET /projects": ["read", "identified"],
  "POST /projects": ["admin", "owner of all"],
  "GET /projects/{project}": reads,
  "PATCH /projects/{project}": administers,
  "GET /projects/{project}/issues": reads,
  "POST /projects/{project}/issues/changes": triages,
  "GET /projects/{project}/issues/{number}": reads,
  "POST /projects/{project}/issues/{number}/changes": triages,
  "GET /projects/{project}/issues/{number}/events": reads,
  "GET /projects/{project}/events/{id}": reads,
  "GET /projects/{project}/events/{id}/attachments": reads,
  "GET /projects/{project}/events/{id}/attachments/{attachment}": reads,
  "GET /projects/{project}/find": reads,
  "GET /projects/{project}/search": reads,
  "GET /projects/{project}/traces/{id}": reads,
  "GET /projects/{project}/logs": reads,
  "GET /projects/{project}/visitors/{visitor}": reads,
  "GET /projects/{project}/pages": reads,
  "GET /projects/{project}/releases": reads,
  "GET /projects/{project}/releases/{id}": reads,
  "GET /projects/{project}/feedback": reads,
  "POST /projects/{project}/feedback/changes": triages,
  "GET /projects/{project}/erasures": administers,
  "POST /projects/{project}/erasures": administers,
  "POST /projects/{project}/erasures/plan": administers,
  "GET /projects/{project}/check-ins": reads,
  "POST /projects/{project}/check-ins/changes": triages,
  "GET /projects/{project}/alerts": reads,
  "PUT /projects/{project}/alerts/rules": administers,
  "POST /projects/{project}/alerts/rules/preview": triages,
  "PUT /projects/{project}/alerts/conditions": administers,
  "POST /projects/{project}/alerts/channels": administers,
  "PUT /projects/{project}/alerts/channels/{id}": administers,
  "DELETE /projects/{project}/alerts/channels/{id}": administers,
  "POST /projects/{project}/alerts/channels/{id}/test": administers,
  "GET /projects/{project}/keys": ["read", "member"],
  "POST /projects/{project}/keys/renew": administers,
  "POST /projects/{project}/keys": administers,
  "PUT /projects/{project}/keys/{id}": administers,
  "POST /projects/{project}/keys/{id}/changes": administers,
  "GET /projects/{project}/filters": ["read", "member"],
  "POST /projects/{project}/filters": administers,
  "DELETE /projects/{project}/filters/{id}": administers,
  "GET /projects/{project}/scrub-rules": ["read", "member"],
  "POST /projects/{project}/scrub-rules": administers,
  "POST /projects/{project}/scrub-rules/trial": triages,
  "DELETE /projects/{project}/scrub-rules/{id}": administers,
  "GET /projects/{project}/spikes": reads,
  "PUT /projects/{project}/spikes": administers,
  "POST /projects/{project}/issues/{number}/ticket": triages,
  "GET /projects/{project}/spans": reads,
  "GET /projects/{project}/slow-queries": reads,
  "GET /projects/{project}/people": administers,
  "POST /projects/{project}/people": administers,
  "PUT /projects/{project}/people/{email}": administers,
  "DELETE /projects/{project}/people/{email}": administers,
  "GET /projects/{project}/audit": administers,
  "GET /projects/{project}/overview": reads,
  "GET /projects/{project}/live": reads,
  "GET /projects/{project}/issues/news": reads,
  "GET /projects/{project}/issues/counts": reads,
  "GET /projects/{project}/issues/{number}/visitors": reads,
  "GET /projects/{project}/pages/route": reads,
  "GET /projects/{project}/releases/compared": reads,
  "GET /projects/{project}/releases/{id}/deploys": reads,
  "GET /projects/{project}/balance": reads,
  "GET /me/tokens": ["read", "identified"],
  "POST /me/tokens": ["admin", "identified"],
  "DELETE /me/tokens/{token}": ["admin", "identified"],
  "GET /projects/{project}/tokens": administers,
  "POST /projects/{project}/tokens": administers,
  "DELETE /projects/{project}/tokens/{token}": administers,
  "GET /projects/{project}/kept": reads,
  "GET /projects/{project}/kept/{id}": reads,
  "POST /projects/{project}/kept/run": triages,
  "DELETE /projects/{project}/kept/{id}": triages,
  "GET /projects/{project}/healing": reads,
  "PUT /projects/{project}/healing": triages,
  "POST /projects/{project}/scrub": triages,
  "GET /settings": ["admin", "owner of all"],
  "PUT /settings": ["admin", "owner of all"],
  "GET /storage": ["admin", "owner of all"],
};

type Standing = Role | "owner of all" | "none";

/** Callers of every role, with a session and with a token of every scope. Their standing is that in project 1. */
interface TestCaller {
  who: string;
  standing: Standing;
  /** Undefined for a session. */
  scope: Scope | undefined;
  sent: Sent;
}

const scopes = ["read", "triage", "upload", "admin"] as const;
const people = {
  viewer: { 1: "viewer" },
  member: { 1: "member" },
  owner: { 1: "owner" },
  none: { 2: "owner" },
  "owner of all": "owner",
} as const;

const includes: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ["read"],
  triage: ["read", "triage"],
  upload: ["upload"],
  admin: ["read", "triage", "upload", "admin"],
};
const ranks: readonly Standing[] = ["none", "viewer", "member", "owner", "owner of all"];
const roleOfScope = { read: "viewer", triage: "member", upload: "none", admin: "owner of all" } as const;

type Verdict = "permitted" | "not identified" | "scope missing" | "project unknown" | "role missing";

function expected(operation: Operation, caller: TestCaller | undefined): Verdict {
  const need = wanted[operation];
  if (need === "everyone") return "permitted";
  if (caller === undefined) return "not identified";
  const [scope, role] = need;
  if (caller.scope !== undefined && !includes[caller.scope].includes(scope)) return "scope missing";
  if (role === "identified") return "permitted";
  const isInProject = operation.includes("{project}");
  if (isInProject && caller.standing === "none") return "project unknown";
  const limit = caller.scope === undefined ? "owner of all" : roleOfScope[caller.scope];
  const rank = Math.min(ranks.indexOf(caller.standing), ranks.indexOf(limit));
  return rank >= ranks.indexOf(role) ? "permitted" : "role missing";
}

function verdictOf({ status, json }: ApiAnswer): Verdict {
  const { code, title } = (json ?? {}) as { code?: string; title?: string };
  if (status === 401) return "not identified";
  if (status === 403) return code === "api-scope-missing" ? "scope missing" : "role missing";
  return status === 404 && title === "There is no such project." ? "project unknown" : "permitted";
}

describe("who may do what with the API", { timeout: 120_000 }, () => {
  let service: ApiService;
  const callers: TestCaller[] = [];

  beforeAll(async () => {
    service = await openApiService();
    for (const [name, roles] of Object.entries(people)) {
      const standing = name as keyof typeof people;
      const email = `${name.replaceAll(" ", "-")}@matrix.test`;
      const session = await service.join(email, roles);
      callers.push({ who: `${name} with a session`, standing, scope: undefined, sent: { session } });
      for (const scope of scopes) {
        const token = await service.token({ kind: "person", email }, [scope]);
        callers.push({ who: `${name} with a token for ${scope}`, standing, scope, sent: { token } });
      }
    }
    for (const [project, standing] of [
      [1, "owner"],
      [2, "none"],
    ] as const)
      for (const scope of scopes) {
        const token = await service.token({ kind: "project", project }, [scope]);
        callers.push({ who: `project ${project} with a token for ${scope}`, standing, scope, sent: { token } });
      }
  }, 120_000);

  afterAll(() => service.close());

  test("every route has its line in the table", () => {
    expect(Object.keys(apiRoutes).toSorted()).toEqual(Object.keys(wanted).toSorted());
  });

  test("every route admits the callers that have its scope and its role, and no others", async () => {
    const wrong: unknown[] = [];
    const ask = async (operation: Operation, caller: TestCaller | undefined): Promise<void> => {
      const address = operation
        .replace("{project}", "1")
        .replace("{number}", "1")
        .replace("{id}", service.events.own)
        .replace("{digest}", service.events.own)
        .replace("{email}", "nobody@matrix.test")
        .replaceAll(/\{\w+\}/g, "9");
      const isChange = !operation.startsWith("GET ");
      const answer = await service.call(address, { ...caller?.sent, ...(isChange && { body: {} }) });
      const verdict = verdictOf(answer);
      const meant = expected(operation, caller);
      if (verdict !== meant || answer.status >= 500)
        wrong.push({ operation, who: caller?.who ?? "a stranger", verdict, meant, status: answer.status });
    };
    for (const operation of Object.keys(wanted) as Operation[])
      for (const caller of [undefined, ...callers]) await ask(operation, caller);
    expect(wrong).toEqual([]);
    expect(callers.length * Object.keys(wanted).length).toBeGreaterThan(1_300);
  });

  test("ids of another project are unknown, and the attempt to see its project is in its audit log", async () => {
    const { other } = service.events;
    const token = await service.token({ kind: "project", project: 1 }, ["admin"]);
    for (const operation of [
      `GET /projects/1/events/${other}`,
      `GET /projects/1/events/${other}/attachments`,
      `GET /projects/1/events/${other}/attachments/1`,
      `GET /digests/${other}`,
      `GET /projects/2/events/${other}`,
      "GET /projects/2",
      "GET /projects/3",
    ])
      expect([operation, (await service.call(operation, { token })).status]).toEqual([operation, 404]);
    const found = await service.call(`GET /projects/1/find?q=${other}`, { token });
    expect(found.json).toEqual({ kind: "issues", filter: other });
    const owner = await service.token({ kind: "project", project: 2 }, ["admin"]);
    const audit = await service.call("GET /projects/2/audit", { token: owner });
    expect(audit.json).toMatchObject({
      items: expect.arrayContaining([
        {
          at: expect.any(Number),
          by: expect.stringMatching(/^token /),
          what: "was refused 2 times: no role in this project",
        },
      ]),
    });
    expect((await service.call(`GET /digests/${other}`, { token: owner })).json).toEqual({
      project: 2,
      event: other,
      issue: 1,
    });
  });

  test("a removed member is refused with the next request, by session and by token", async () => {
    const email = "leaver@matrix.test";
    const session = await service.join(email, { 1: "member" });
    const token = await service.token({ kind: "person", email }, ["triage"]);
    const owner = await service.token({ kind: "project", project: 1 }, ["admin"]);
    const ask = async () => [
      (await service.call("GET /projects/1/issues", { session })).status,
      (await service.call("GET /projects/1/issues", { token })).status,
    ];
    expect(await ask()).toEqual([200, 200]);
    expect((await service.call(`DELETE /projects/1/people/${email}`, { token: owner })).status).toBe(204);
    expect(await ask()).toEqual([401, 401]);
    const { json } = await service.call("GET /projects/1/audit?limit=5", { token: owner });
    expect(json).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ what: `removed ${email}` })]),
    });
  });

  test("guessed tokens are soon not even looked up; a token that worked goes on from the same address", async () => {
    const token = await service.token({ kind: "project", project: 1 }, ["read"]);
    const address = "198.51.100.20";
    expect((await service.call("GET /me", { token, address })).status).toBe(200);
    const guesses = Array.from({ length: 40 }, (_, n) => service.call("GET /me", { token: `hft_guess${n}`, address }));
    const answers = await Promise.all(guesses);
    const refused = answers.filter(({ status }) => status === 429);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(refused.length).toBeGreaterThanOrEqual(15);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await service.call("GET /me", { token, address })).status).toBe(200);
    expect((await service.call("GET /me", { token: "hft_guess", address: "198.51.100.21" })).status).toBe(401);
    const fresh = await service.token({ kind: "project", project: 1 }, ["read"]);
    const first = Array.from({ length: 40 }, () => service.call("GET /me", { token: fresh, address: "198.51.100.22" }));
    expect(new Set((await Promise.all(first)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("a change with a session needs a page of the same origin and JSON, and no response permits another origin", async () => {
    const session = await service.join("triager@matrix.test", { 1: "member" });
    const operation = "POST /projects/1/issues/1/changes";
    const body = { kind: "comment", text: "by the page" };
    const send = async (headers: Record<string, string>, sent: unknown = body) =>
      (await service.call(operation, { session, body: sent, headers })).status;
    const site = (name: string) => ({ "Sec-Fetch-Site": name });
    expect(await send({})).toBe(200);
    expect(await send(site("same-origin"))).toBe(200);
    expect(await send({ Origin: "https://evil.test" })).toBe(403);
    expect(await send({ Origin: "null" })).toBe(403);
    expect(await send({ Origin: "" })).toBe(403);
    for (const name of ["cross-site", "same-site", "none"]) expect(await send(site(name))).toBe(403);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])
      expect([type, await send({ "Content-Type": type })]).toEqual([type, 415]);
    const read = await service.call("GET /me", { session, headers: { Origin: "https://evil.test" } });
    expect(read.headers.get("access-control-allow-origin")).toBeNull();
    expect((await service.call("OPTIONS /me", { headers: { Origin: "https://evil.test" } })).status).toBe(405);
  });
});
