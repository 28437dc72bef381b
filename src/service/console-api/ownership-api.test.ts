import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { digestOf, jsonItem, newEventId, writeEnvelope } from "#protocol";
import type { Accounts } from "../accounts/accounts.ts";
import type { Roles } from "../accounts/people.ts";
import { openService, type Service } from "../open-service.ts";
import { lastDays } from "../queries/period.ts";
import { type ConsoleApi, openConsoleApi } from "./console-api.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-ownership-"));
let service: Service;
let accounts: Accounts;
let api: ConsoleApi;

beforeAll(async () => {
  service = await openService({ dataFolder: folder });
  accounts = service.shared.openAccounts();
  api = openConsoleApi({ service, dataFolder: folder, access: { kind: "accounts", accounts } });
  await invite("ada@shop.example", "owner");
  await invite("bo@shop.example", { 1: "member" });
  await invite("kim@shop.example", { 2: "member" });
});

async function invite(email: string, roles: Roles): Promise<void> {
  const secret = await accounts.invites.create(roles, email);
  await accounts.accept(secret, { email, password: `the password of ${email}` }, { address: "192.0.2.9" });
}

afterAll(async () => {
  api.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

let messages = 0;

interface Sent {
  file?: string;
  route?: string;
  release?: string;
  message?: string;
}

/** Sends an event. Returns its issue. */
async function send({ file = "src/shop.ts", route, release, message = `failure ${"x".repeat(++messages)}` }: Sent) {
  const eventId = newEventId();
  const frames = [
    { filename: "node_modules/zod/index.js", function: "parse", lineno: 1, in_app: true },
    { filename: file, function: "pay", lineno: 1, in_app: true },
  ];
  const event = {
    event_id: eventId,
    transaction: route,
    release,
    exception: { values: [{ type: message.replaceAll(" ", ""), value: "no cart", stacktrace: { frames } }] },
    request: { url: "https://shop.example/cart?step=2" },
    tags: { plan: "enterprise" },
  };
  await service.accept(1, writeEnvelope({ eventId }, [jsonItem("event", event)]));
  await service.drained();
  const found = await api.event(1, eventId);
  const number = found?.issue?.number ?? 0;
  return { number, ...(await api.issue(1, number, lastDays(1, api.now()))) };
}

/** The thread reads new rules within a second. */
async function assigneeOf(sent: Sent): Promise<string | undefined> {
  return (await send(sent)).issue?.assignee;
}

it("a new issue is assigned by the last rule that matches, and its history names the rule", async () => {
  const rules = [
    "# the shop",
    "path:src/** ada@shop.example",
    "route:/orders/** Bo@Shop.example # orders",
    "path:src/vault/** kim@shop.example",
    "path:**/zod/** ada@shop.example",
    "url:*/nothing ada@shop.example",
  ].join("\n");
  expect(await api.ownership.of(1)).toEqual({ rules: "", problems: [], strangers: [] });
  expect(await api.ownership.change(1, `${rules}\nmodule:x`, "ada")).toMatchObject({
    kind: "refused",
    problems: [{ line: 7 }],
  });
  expect((await api.ownership.of(1)).rules).toBe("");
  expect(await api.ownership.change(1, rules.replaceAll("\n", "\r\n"), "ada")).toMatchObject({
    kind: "saved",
    rules,
    strangers: [{ line: 4, why: "kim@shop.example is no member of this project, so this rule assigns nothing." }],
  });
  await expect.poll(() => assigneeOf({}), { timeout: 30_000, interval: 200 }).toBe("ada@shop.example");
  const owned = await send({ route: "GET /orders/[id]" });
  expect(owned.issue?.assignee).toBe("bo@shop.example");
  expect(owned.history).toMatchObject([
    { by: "rules", what: { kind: "assigned", to: "bo@shop.example", rule: "route:/orders/**" } },
  ]);
  expect(await api.ownership.ruleOf(1, owned.number)).toEqual({
    rule: "route:/orders/**",
    line: 3,
    to: "bo@shop.example",
  });
  // The person of this rule is no member, and no rule before it is asked.
  const vault = await send({ file: "src/vault/door.ts", route: "/orders" });
  expect(vault.issue?.assignee).toBeUndefined();
  expect(await api.ownership.ruleOf(1, vault.number)).toMatchObject({ rule: "path:src/vault/**", to: undefined });
  // Visitors read that it is known. A rule does not say that a person works on it.
  const digest = digestOf(owned.issue?.lastEventId ?? "");
  const publicState = () => api.publicState(1, { digest, release: undefined });
  expect(await publicState()).toBe("known");
  await api.change(1, [owned.number], { kind: "assign", to: "bo@shop.example" }, "bo@shop.example");
  expect(await publicState()).toBe("in-repair");
  expect((await api.administration.audit(1, 9)).map(({ by, what }) => [by, what])).toContainEqual([
    "ada",
    "changed the ownership rules: 5, before 0",
  ]);
});

it("an issue that comes back is assigned, a person's choice stays, and people who leave get nothing", async () => {
  await api.ownership.change(1, "tag:plan=enter* bo@shop.example\nurl:*/cart* bo@shop.example", "ada");
  await expect.poll(() => assigneeOf({}), { timeout: 30_000, interval: 200 }).toBe("bo@shop.example");
  await api.ownership.change(1, "", "ada");
  await expect.poll(() => assigneeOf({}), { timeout: 30_000, interval: 200 }).toBeUndefined();
  const back = { message: "it comes back", release: "shop@1" };
  const given = { message: "a person gave it back", release: "shop@1" };
  const numbers = [(await send(back)).number, (await send(given)).number];
  await api.change(1, numbers.slice(1), { kind: "assign", to: undefined }, "ada@shop.example");
  await api.change(1, numbers, { kind: "resolve", in: "next-release" }, "ada@shop.example");
  await api.ownership.change(1, "url:*/cart* bo@shop.example", "ada");
  await expect.poll(() => assigneeOf({}), { timeout: 30_000, interval: 200 }).toBe("bo@shop.example");
  const returned = await send({ ...back, release: "shop@2" });
  expect(returned.issue).toMatchObject({ state: { kind: "regressed" }, assignee: "bo@shop.example" });
  const left = await send({ ...given, release: "shop@2" });
  expect(left.issue).toMatchObject({ state: { kind: "regressed" }, assignee: undefined });
  await accounts.setRole(1, "bo@shop.example", undefined);
  await expect.poll(() => assigneeOf({}), { timeout: 30_000, interval: 200 }).toBeUndefined();
  expect((await api.ownership.of(1)).strangers).toMatchObject([{ line: 1 }]);
});

it("rules are tried on the newest issues, and a CODEOWNERS file becomes rules", async () => {
  const { number } = await send({ file: "src/trial/pay.ts", message: "tried" });
  const tried = await api.ownership.try(1, "path:src/trial/ ada@shop.example\nroute:/x kim@shop.example");
  expect(tried.kind === "tried" ? tried.issues : []).toContainEqual({
    number,
    title: "tried: no cart",
    assignee: undefined,
    owner: { rule: "path:src/trial/", line: 1, to: "ada@shop.example" },
  });
  expect(tried.kind === "tried" && tried.issues.filter(({ owner }) => owner !== undefined)).toHaveLength(1);
  expect(await api.ownership.try(1, "nonsense")).toMatchObject({ kind: "refused", problems: [{ line: 1 }] });
  expect(api.ownership.fromCodeowners("/src/ @ada")).toBe("path:src/ @ada");
});
