import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiService, openApiService } from "../../../tests/kit/api-service.ts";

describe("the permissions of the API", { timeout: 120_000 }, () => {
  let service: ApiService;

  beforeAll(async () => {
    service = await openApiService();
  }, 120_000);

  afterAll(() => service.close());

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
