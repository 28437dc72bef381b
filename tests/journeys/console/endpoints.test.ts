import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { jsonItem, newSpanId, newTraceId } from "#protocol";
import { root } from "../../../scripts/root.js";
import { journey, type RunningApp } from "../../kit/index.ts";
import { anError, report, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

/** Every file below a project, so that later ones are included automatically. */
const pagesFolder = join(root, "console/src/pages");
const files = globSync("[[]project[]]/**/*.{ts,tsx}", { cwd: pagesFolder }).filter((file) => !/(^|\/)_/.test(file));
const routes = [
  ...new Set(files.map((file) => `/${file.replace(/(\.server)?\.tsx?$/, "").replace(/\/?index$/, "")}`)),
].sort();
/** Pages have data addresses; endpoints have none. */
const pages = new Set(
  files
    .filter((file) => file.endsWith(".tsx"))
    .map((file) => `/${file.replace(/\.tsx$/, "").replace(/\/?index$/, "")}`),
);
const actions = files
  .filter((file) => file.endsWith(".server.ts"))
  .flatMap((file) => {
    const names = readFileSync(join(pagesFolder, file), "utf8").matchAll(/^ {2}(\w+): action\(/gm);
    const route = `/${file.replace(/\.server\.ts$/, "").replace(/\/?index$/, "")}`;
    return [...names].map(([, name]) => `${route}/_action/${name}`);
  });

/** The visitor of the error below: the hash of the user's id, as addresses have it. */
const visitor = Number.parseInt(createHash("sha1").update("7").digest("hex").slice(0, 13), 16).toString(36);

interface Ids {
  event: string;
  trace: string;
}

/** Returns the address of a route in a project, with ids of project 1. */
function addressOf(route: string, project: number, { event, trace }: Ids): string {
  return `/_holdfast${route}`
    .replace("[project]", String(project))
    .replace("traces/[id]", `traces/${trace}`)
    .replace("visitors/[id]", `visitors/${visitor}`)
    .replace("[id]", event)
    .replace("[number]", "1")
    .replace(/releases\/named.*/, "$&?name=1.0.0")
    .replace(/pages\/route.*/, "$&?route=%2Fcart")
    .replace("attachments/[file]", "attachments/1")
    .replace("[file]", `${event}.md`);
}

async function answer(app: RunningApp, person: string, address: string, init: RequestInit = {}) {
  const { status, headers, body } = await fetch(app.url + address, {
    ...init,
    headers: { "x-person": person, "Sec-Fetch-Site": "same-origin" },
    redirect: "manual",
  });
  return { status, location: headers.get("location"), text: await new Response(body).text() };
}

/** Removes the variable parts of a response: the requested address, one-time values, and times. */
function comparable(text: string, project: number): string {
  return text
    .replaceAll(`/_holdfast/${project}`, "/_holdfast/N")
    .replaceAll(`"project":"${project}"`, '"project":"N"')
    .replace(/nonce="[^"]*"/g, "")
    .replace(/"digest":"[^"]*"/g, "");
}

async function somethingToSee(app: RunningApp): Promise<Ids> {
  const trace = newTraceId();
  const context = { trace: { trace_id: trace, span_id: newSpanId() } };
  const error = anError({ function: "guarded", contexts: context });
  await report(app, [jsonItem("event", error)]);
  await reportErrors(app, [anError({ function: "other" })]);
  return { event: error.event_id, trace };
}

describe("every address below a project", () => {
  test("is as unknown to a person who may not see the project as one that never existed", async ({ app }) => {
    expect(routes.length).toBeGreaterThan(12);
    expect(actions.length).toBeGreaterThan(5);
    const ids = await somethingToSee(app);
    const asked = [
      ...routes.map((route) => [route, "GET"] as const),
      ...[...pages].map((route) => [`${route}/_data`, "GET"] as const),
      ...actions.flatMap((action) => [[action, "POST"] as const, [`${action}/_data`, "POST"] as const]),
    ];
    for (const [route, method] of asked) {
      const init = method === "POST" ? { method, body: new URLSearchParams({ do: "resolve", number: "1" }) } : {};
      const foreign = await answer(app, "mallory", addressOf(route, 1, ids), init);
      const never = await answer(app, "mallory", addressOf(route, 77, ids), init);
      expect(foreign, route).toMatchObject({ status: 404, location: null });
      expect(comparable(foreign.text, 1), route).toBe(comparable(never.text, 77));
      expect((await answer(app, "nobody", addressOf(route, 1, ids), init)).status, route).toBe(403);
    }
  });

  test("responds to a viewer who reads, and refuses a viewer who changes", async ({ app }) => {
    const ids = await somethingToSee(app);
    for (const route of routes) {
      const { status, location } = await answer(app, "vera", addressOf(route, 1, ids));
      // Without an issue there is nothing to merge; where the application signs people in, there is no second factor.
      const isMissing = /\/(?:attachments\/\[file\]|merge|me\/second-factor)$/.test(route);
      // A ticket is for people who change the issue, and forgetting for owners.
      const isForMembers = /\/(?:ticket|settings\/erase|settings\/export\.ndjson)$/.test(route);
      const wanted = route.endsWith("/find") ? 303 : isMissing ? 404 : isForMembers ? 403 : 200;
      expect([status, location?.startsWith("/_holdfast/1/") ?? true], route).toEqual([wanted, true]);
    }
    // Everyone changes what is their own. A search that all share is not.
    for (const action of actions.filter((one) => !/\/me\/|\/searches\/_action\/(?:rename|remove)/.test(one))) {
      const body = new URLSearchParams({ do: "resolve", number: "1", shared: "yes" });
      expect((await answer(app, "vera", addressOf(action, 1, ids), { method: "POST", body })).status, action).toBe(403);
    }
  });

  test("lets a member change issues, and only owners change settings", async ({ app }) => {
    const ids = await somethingToSee(app);
    const post = async (person: string, action: string, fields: Record<string, string>): Promise<number> => {
      const init = { method: "POST", body: new URLSearchParams(fields) };
      return (await answer(app, person, addressOf(action, 1, ids), init)).status;
    };
    expect(await post("max", "/[project]/issues/[number]/_action/change", { do: "take" })).toBe(303);
    const decisions = actions.filter((action) => action.includes("/settings/") && !action.endsWith("/trial"));
    expect(decisions.length).toBeGreaterThanOrEqual(4);
    for (const action of decisions) expect(await post("max", action, { name: "mine" }), action).toBe(403);
    expect(await post("olga", "/[project]/settings/_action/rename", { name: "Olga's" })).toBe(303);
    for (const name of ["add", "storage", "attached", "scrubbing"])
      expect(await post("olga", `/[project]/settings/_action/${name}`, { name: "x" }), name).toBe(403);
  });

  test("shows nothing of another project; its search leads a person there who may see both", async ({ app }) => {
    const ids = await somethingToSee(app);
    const add = { method: "POST", body: new URLSearchParams({ name: "second" }) };
    const made = await answer(app, "ada", "/_holdfast/1/settings/_action/add", add);
    expect(made).toMatchObject({ status: 303, location: "/_holdfast/2/settings" });
    const things = [
      `/events/${ids.event}`,
      `/traces/${ids.trace}`,
      "/issues/1",
      "/issues/1/visitors",
      "/issues/merge?number=1",
      `/visitors/${visitor}`,
      "/releases/named?name=1.0.0",
      "/releases/compared?from=1.0.0&to=1.0.0",
      "/pages/route?route=%2Fcart",
      `/event/${ids.event}.json`,
    ];
    for (const address of things) {
      expect((await answer(app, "ada", `/_holdfast/1${address}`)).status, address).toBe(200);
      expect((await answer(app, "ada", `/_holdfast/2${address}`)).status, address).toBe(404);
    }
    const found = await answer(app, "ada", `/_holdfast/2/find?q=${ids.event}`);
    expect(found.location).toContain(`/_holdfast/1/events/${ids.event}`);
  });
});
