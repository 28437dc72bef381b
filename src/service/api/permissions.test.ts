import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiAnswer, type ApiService, openApiService, type Sent } from "../../../tests/kit/api-service.ts";
import type { Role } from "../accounts/people.ts";
import type { Scope } from "../tokens/scopes.ts";
import { wantedByRoute } from "./permission-table.contract.ts";
import type { Operation } from "./route.ts";
import { apiRoutes } from "./routes/table.ts";

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
  const need = wantedByRoute[operation];
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
      // Two accounts: a token may end the sessions of its person.
      const session = await service.join(`browsing-${email}`, roles);
      await service.join(email, roles);
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
    expect(Object.keys(apiRoutes).toSorted()).toEqual(Object.keys(wantedByRoute).toSorted());
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
    for (const operation of Object.keys(wantedByRoute) as Operation[])
      for (const caller of [undefined, ...callers]) await ask(operation, caller);
    expect(wrong).toEqual([]);
    expect(callers.length * Object.keys(wantedByRoute).length).toBeGreaterThan(1_300);
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
