import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { jsonItem, newEventId, newTraceId, writeEnvelope } from "#protocol";
import { openSharedState } from "#service";
import { root } from "../../scripts/root.js";
import type { Role, Roles } from "../../src/service/accounts/people.ts";
import { wantedByRoute } from "../../src/service/api/permission-table.contract.ts";
import { apiRoutes } from "../../src/service/api/routes/table.ts";
import { serviceTools } from "../../src/service/mcp/tools.ts";
import type { Scope } from "../../src/service/tokens/scopes.ts";
import { isLong } from "../kit/long-runs.ts";

type Standing = Role | "owner of all" | "none";
type Wanted = "everyone" | readonly [scope: Scope, role: Role | "identified" | "owner of all"];
/** `refused`: the caller is known, and has not the scope or the role. */
type Verdict = "permitted" | "not identified" | "refused" | "project unknown";

/** One thing that a caller may want of project 1. */
interface Row {
  readonly name: string;
  readonly wanted: Wanted;
  readonly by: "session or token" | "session" | "token";
  readonly isInProject: boolean;
  /** It would end the sessions of the caller. */
  readonly isLast?: boolean;
  ask(caller: Caller): Promise<Verdict>;
}

/** Standing is that in project 1. */
interface Caller {
  readonly who: string;
  readonly standing: Standing;
  /** Undefined for a session. */
  readonly scope?: Scope;
  readonly headers: Readonly<Record<string, string>>;
}

const scopes = ["read", "triage", "upload", "admin"] as const;
const people: Readonly<Record<Standing, Roles>> = {
  viewer: { 1: "viewer" },
  member: { 1: "member" },
  owner: { 1: "owner" },
  none: { 2: "owner" },
  "owner of all": "owner",
};
const includes: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ["read"],
  triage: ["read", "triage"],
  upload: ["upload"],
  admin: scopes,
};
const ranks: readonly Standing[] = ["none", "viewer", "member", "owner", "owner of all"];
/**
 * A token may what its scope and the standing of its owner both permit. A short run has every scope with the highest
 * standing and every standing with the widest scope: each row meets a caller that lacks only the scope, and one that
 * lacks only the role. A long run has every pair.
 */
function scopesOf(standing: Standing): readonly Scope[] {
  return isLong || standing === "owner of all" ? scopes : ["admin"];
}
const roleOfScope = { read: "viewer", triage: "member", upload: "none", admin: "owner of all" } as const;

/** Pages are for viewers, changes for members, and changes of settings for owners, except these. */
const consoleExceptions: Readonly<Record<string, Role | "owner of all">> = {
  "/[project]/issues/[number]/ticket": "member",
  "/[project]/settings/erase": "owner",
  "/[project]/settings/export.ndjson": "owner",
  "/[project]/alerts/_action/preview": "member",
  "/[project]/settings/_action/trial": "member",
  "/[project]/settings/filters/_action/trial": "member",
  "/[project]/settings/_action/add": "owner of all",
  "/[project]/settings/_action/attached": "owner of all",
  "/[project]/settings/_action/scrubbing": "owner of all",
  "/[project]/settings/_action/storage": "owner of all",
  "/[project]/settings/tokens/_action/own": "viewer",
  "/[project]/searches/_action/rename": "viewer",
  "/[project]/searches/_action/remove": "viewer",
};

const pagesFolder = join(root, "console/src/pages");
const files = globSync("[[]project[]]/**/*.{ts,tsx}", { cwd: pagesFolder }).filter((file) => !/(^|\/)_/.test(file));
const routeOf = (file: string): string => `/${file.replace(/(\.server)?\.tsx?$/, "").replace(/\/?index$/, "")}`;
const consolePages = [...new Set(files.map(routeOf))].sort();
const consoleActions = files
  .filter((file) => file.endsWith(".server.ts"))
  .flatMap((file) => {
    const names = readFileSync(join(pagesFolder, file), "utf8").matchAll(/^ {2}(\w+): action\(/gm);
    return [...names].map(([, name]) => `${routeOf(file)}/_action/${name}`);
  });

function roleOfAction(action: string): Role | "owner of all" {
  if (/^\/\[project\]\/me\//.test(action)) return "viewer";
  return /^\/\[project\]\/(?:settings|alerts)\b/.test(action) ? "owner" : "member";
}

describe("who may do what, over the network with real sessions and tokens", { timeout: 600_000 }, () => {
  let folder: string;
  let service: ChildProcess;
  let shared: Awaited<ReturnType<typeof openSharedState>>;
  let origin = "";
  const callers: Caller[] = [];
  const events = { own: newEventId(), other: newEventId() };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-matrix-"));
    const command = join(root, "bin/holdfast.js");
    // Each session asks for far more than a person does in a minute.
    const env = { ...process.env, HOLDFAST_API_PER_MINUTE: "100000", HOLDFAST_MCP_CALLS: "100000" };
    service = spawn(process.execPath, [command, "service", "--port", "0", "--data", folder], { env });
    let said = "";
    service.stdout?.on("data", (data) => {
      said += data;
    });
    while (!said.includes("Console:")) await once(service.stdout ?? service, "data");
    origin = /listens at (\S+)/.exec(said)?.[1] ?? "";
    shared = await openSharedState(folder);
    await shared.projects.add("Other");
    await reportError(1, events.own, "The basket is empty");
    await reportError(2, events.other, "The vault is open");
    for (const [name, roles] of Object.entries(people)) await addCallers(name as Standing, roles);
    for (const [project, standing] of [
      [1, "owner"],
      [2, "none"],
    ] as const)
      for (const scope of project === 1 ? scopes : scopesOf(standing)) {
        const headers = await tokenOf({ kind: "project", project }, [scope]);
        callers.push({ who: `project ${project} with a token for ${scope}`, standing, scope, headers });
      }
  }, 300_000);

  afterAll(async () => {
    await shared.close();
    service.kill("SIGTERM");
    await once(service, "exit");
    rmSync(folder, { recursive: true });
  });

  test("every API route, console route and tool admits callers with its scope and role, and no others", async () => {
    const table = [...apiRows(), ...consoleRows(), ...toolRows()];
    expect(Object.keys(wantedByRoute).toSorted()).toEqual(Object.keys(apiRoutes).toSorted());
    const wrong: string[] = [];
    const check = async (row: Row, caller: Caller): Promise<void> => {
      const meant = expected(row, caller);
      // An own session that ends is not there for the rows after it.
      if (row.isLast && meant === "permitted") return;
      const verdict = await row.ask(caller);
      if (verdict !== meant) wrong.push(`${row.name}, ${caller.who}: ${verdict}, not ${meant}`);
    };
    const stranger: Caller = { who: "a stranger", standing: "none", headers: {} };
    // No token opens the console: the strongest of each owner are enough to show it.
    const asks = ({ by }: Row, { scope }: Caller): boolean =>
      by !== "session" || scope === undefined || scope === "admin";
    const pairs = table.flatMap((row) =>
      [stranger, ...callers].filter((caller) => asks(row, caller)).map((caller) => [row, caller] as const),
    );
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) await check(...pair);
      }),
    );
    expect(wrong).toEqual([]);
    expect([consolePages.length > 30, consoleActions.length > 40, serviceTools.length > 10]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("ids of another project are unknown everywhere, and each attempt is in its audit log", async () => {
    const attempts = {
      api: (caller: Caller) => get(`/_holdfast/api/v1/projects/2/events/${events.other}`, caller),
      console: (caller: Caller) => get(`/_holdfast/2/events/${events.other}`, caller),
      mcp: (caller: Caller) => callTool("find_issues", { project: 2 }, caller),
    };
    const [apiStatus, consoleStatus, mcp] = await Promise.all([
      attempts.api(await personWithToken("api@matrix.test")).then(({ status }) => status),
      attempts.console(await personWithSession("console@matrix.test")).then(({ status }) => status),
      attempts.mcp(await personWithToken("mcp@matrix.test")),
    ]);
    expect([apiStatus, consoleStatus, mcp.text]).toEqual([404, 404, expect.stringContaining("There is no project 2")]);
    const reader = await personWithToken("reader@matrix.test");
    for (const address of [`api/v1/projects/1/events/${events.other}`, `api/v1/digests/${events.other}`])
      expect([address, (await get(`/_holdfast/${address}`, reader)).status]).toEqual([address, 404]);
    expect((await callTool("read_event", { event: events.other }, reader)).text).toContain("There is no");
    const browser = await personWithSession("browser@matrix.test");
    expect((await get(`/_holdfast/1/events/${events.other}`, browser)).status).toBe(404);
    const owner = await tokenOf({ kind: "project", project: 2 }, ["admin"]);
    const audit = async (): Promise<string[]> => {
      const response = await fetch(`${origin}/_holdfast/api/v1/projects/2/audit?limit=200`, { headers: owner });
      const { items } = (await response.json()) as { items: { by: string; what: string }[] };
      return items.filter(({ what }) => what.includes("no role in this project")).map(({ by }) => by);
    };
    await expect
      .poll(audit)
      .toEqual(expect.arrayContaining(Object.keys(attempts).map((name) => `${name}@matrix.test`)));
  });

  test("a removed member is refused by the next request, of the API, the console and an agent", async () => {
    const email = "leaver@matrix.test";
    const session = await personWithSession(email);
    const token = { ...session, headers: await tokenOf({ kind: "person", email }, ["triage"]) };
    const ask = async (): Promise<readonly unknown[]> => [
      (await get("/_holdfast/api/v1/projects/1/issues", session)).status,
      (await get("/_holdfast/api/v1/projects/1/issues", token)).status,
      (await get("/_holdfast/1/issues", session)).status,
      (await callTool("find_issues", {}, token)).status,
    ];
    expect(await ask()).toEqual([200, 200, 200, 200]);
    const owner = await tokenOf({ kind: "project", project: 1 }, ["admin"]);
    const address = `${origin}/_holdfast/api/v1/projects/1/people/${email}`;
    expect((await fetch(address, { method: "DELETE", headers: owner })).status).toBe(204);
    expect(await ask()).toEqual([401, 401, 303, 401]);
  });

  function expected({ wanted, by, isInProject }: Row, { who, standing, scope }: Caller): Verdict {
    if (wanted === "everyone") return "permitted";
    const isWrongKind = (by === "token" && scope === undefined) || (by === "session" && scope !== undefined);
    if (who === "a stranger" || isWrongKind) return "not identified";
    const [wantedScope, role] = wanted;
    // A tool looks for the project first, so that an agent learns what it has misspelt.
    if (by === "token" && isInProject && standing === "none" && scope !== "upload") return "project unknown";
    if (scope !== undefined && !includes[scope].includes(wantedScope)) return "refused";
    if (role === "identified") return "permitted";
    if (isInProject && standing === "none") return "project unknown";
    const most = scope === undefined ? "owner of all" : roleOfScope[scope];
    return Math.min(ranks.indexOf(standing), ranks.indexOf(most)) >= ranks.indexOf(role) ? "permitted" : "refused";
  }

  function apiRows(): Row[] {
    return Object.entries(wantedByRoute).map(([operation, wanted]) => {
      const [method = "", path = ""] = operation.split(" ");
      const address = path
        .replace("{project}", "1")
        .replace("{number}", "1")
        .replace("{id}", events.own)
        .replace("{digest}", events.own)
        .replace("{email}", "none@matrix.test")
        .replaceAll(/\{\w+\}/g, "9");
      return {
        name: operation,
        wanted,
        by: "session or token",
        isInProject: operation.includes("{project}"),
        isLast: operation === "POST /me/sessions/end-others",
        async ask({ headers }) {
          const json = { "Content-Type": "application/json", Origin: origin };
          const response = await fetch(`${origin}/_holdfast/api/v1${address}`, {
            method,
            headers: { ...headers, ...(method !== "GET" && json) },
            ...(method !== "GET" && { body: "{}" }),
          });
          const { title } = response.ok ? { title: "" } : ((await response.json()) as { title: string });
          if (response.status >= 500) throw new Error(`${operation} has answered ${response.status}`);
          if (response.status === 401) return "not identified";
          if (response.status === 403) return "refused";
          return title === "There is no such project." ? "project unknown" : "permitted";
        },
      };
    });
  }

  function consoleRows(): Row[] {
    const rowOf = (route: string, role: Role | "owner of all", method: "GET" | "POST"): Row => ({
      name: `console ${method} ${route}`,
      wanted: ["read", role],
      by: "session",
      isInProject: true,
      isLast: /\/me\/_action\/(?:everywhere|session)$/.test(route),
      async ask(caller) {
        const address = `/_holdfast${route}`
          .replace("[project]", "1")
          .replace("[number]", "1")
          .replace("[id]", events.own)
          .replace("attachments/[file]", "attachments/1")
          .replace("[file]", `${events.own}.md`);
        // Settings without their fields are invalid for those who may change them.
        const fields = { shared: "yes", ...(route.includes("/issues") && { do: "resolve", number: "1" }) };
        const init = method === "POST" ? { method, body: new URLSearchParams(fields) } : {};
        const { status, location } = await get(address, caller, init);
        if (status >= 500) throw new Error(`${method} ${route} has answered ${status}`);
        if (location.includes("/sign-in")) return "not identified";
        if (status === 403) return "refused";
        return status === 404 && caller.standing === "none" ? "project unknown" : "permitted";
      },
    });
    return [
      ...consolePages.map((route) => rowOf(route, consoleExceptions[route] ?? "viewer", "GET")),
      ...consoleActions.map((action) => rowOf(action, consoleExceptions[action] ?? roleOfAction(action), "POST")),
    ];
  }

  function toolRows(): Row[] {
    const given: Readonly<Record<string, object>> = {
      read_event: { event: events.own },
      read_trace: { trace: newTraceId() },
      reproduce: { event: events.own },
    };
    return serviceTools.map(({ name, needs, input }) => ({
      name: `tool ${name}`,
      isInProject: name !== "projects",
      wanted: name === "projects" ? ["read", "identified"] : [needs, needs === "read" ? "viewer" : "member"],
      by: "token",
      async ask(caller) {
        const needed = (input.required ?? []).includes("issue") ? { issue: 99 } : {};
        const about = { ...(name !== "projects" && { project: 1 }), ...needed, ...given[name] };
        const withText = name === "comment_issue" ? { ...about, text: "x" } : about;
        const { status, text } = await callTool(name, withText, caller);
        if (status === 401) return "not identified";
        if (status === 403 || text.includes("only reads") || text.includes("takes the role")) return "refused";
        return text.includes("There is no project 1") ? "project unknown" : "permitted";
      },
    }));
  }

  async function get(address: string, { headers }: Pick<Caller, "headers">, init: RequestInit = {}) {
    const response = await fetch(origin + address, {
      ...init,
      redirect: "manual",
      headers: { ...headers, Origin: origin, "Sec-Fetch-Site": "same-origin" },
    });
    await response.arrayBuffer();
    return { status: response.status, location: response.headers.get("location") ?? "" };
  }

  async function callTool(name: string, given: object, { headers }: Pick<Caller, "headers">) {
    const response = await fetch(`${origin}/_holdfast/mcp`, {
      method: "POST",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }),
    });
    return { status: response.status, text: await response.text() };
  }

  async function reportError(project: number, eventId: string, value: string): Promise<void> {
    const { publicKey = "" } = shared.projects.byId(project) ?? {};
    const event = { event_id: eventId, exception: { values: [{ type: "Error", value }] } };
    const send = async (): Promise<number> => {
      const body = Buffer.from(writeEnvelope({ eventId }, [jsonItem("event", event)]));
      return (await fetch(`${origin}/api/${project}/envelope/?sentry_key=${publicKey}`, { method: "POST", body }))
        .status;
    };
    // The running service reads a new project within a second.
    await vi.waitUntil(async () => (await send()) === 200, { timeout: 60_000 });
    const headers = await tokenOf({ kind: "project", project }, ["read"]);
    const filed = async () =>
      (await get(`/_holdfast/api/v1/projects/${project}/events/${eventId}`, { headers })).status;
    await vi.waitUntil(async () => (await filed()) === 200, { timeout: 60_000 });
  }

  /** Two accounts: a token may end the sessions of its person. */
  async function addCallers(standing: Standing, roles: Roles): Promise<void> {
    const name = standing.replaceAll(" ", "-");
    const session = await signUp(`browsing-${name}@matrix.test`, roles);
    callers.push({ who: `${standing} with a session`, standing, headers: session });
    const email = `${name}@matrix.test`;
    await signUp(email, roles);
    for (const scope of scopesOf(standing)) {
      const headers = await tokenOf({ kind: "person", email }, [scope]);
      callers.push({ who: `${standing} with a token for ${scope}`, standing, scope, headers });
    }
  }

  /** A member of project 1. */
  async function personWithSession(email: string): Promise<Caller> {
    return { who: email, standing: "member", headers: await signUp(email, { 1: "member" }) };
  }

  async function personWithToken(email: string): Promise<Caller> {
    await signUp(email, { 1: "member" });
    return { who: email, standing: "member", headers: await tokenOf({ kind: "person", email }, ["triage"]) };
  }

  async function signUp(email: string, roles: Roles): Promise<Record<string, string>> {
    const accounts = shared.openAccounts({});
    const secret = await accounts.invites.create(roles, email);
    const made = await accounts.accept(secret, { email, password: `${email} ${email}` }, { address: "192.0.2.9" });
    if (made.kind !== "signed-in") throw new Error(made.kind);
    return { Cookie: `__Host-holdfast-console=${made.session}` };
  }

  async function tokenOf(
    owner: { kind: "person"; email: string } | { kind: "project"; project: number },
    wanted: readonly Scope[],
  ): Promise<Record<string, string>> {
    const made = await shared.tokens.create(owner, { name: `token ${newEventId()}`, scopes: wanted }, "test");
    if (made.kind === "refused") throw new Error(made.why);
    return { Authorization: `Bearer ${made.secret}` };
  }
});
