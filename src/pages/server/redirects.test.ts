import { expect, test } from "vitest";
import { action, load, type RequestContext } from "./author/define.ts";
import { redirect } from "./author/outcome.ts";
import { testApplication } from "./test-application.ts";

const Page = () => "a page";
const form = { "content-type": "application/x-www-form-urlencoded" };
/** An application that trusts too much and redirects to a target of the request. */
const leads = (to: string | null | undefined) => redirect(String(to) as "/");
const wanted = ({ url }: RequestContext) => leads(url.searchParams.get("next"));

const files = {
  "index.tsx": { default: Page },
  "sign-in.tsx": { default: Page },
  "sign-in.server.ts": {
    data: load((context) => (context.url.searchParams.has("next") ? wanted(context) : undefined)),
    actions: {
      go: action({}, ({ input }) => leads(String((input as FormData).get("next")))),
      json: action({}, ({ input }) => leads((input as { next: string }).next)),
    },
  },
  "back.tsx": { default: Page },
  "back.server.ts": { data: load(({ headers }) => leads(headers.get("referer"))) },
  "slash.tsx": { default: Page },
  "slash.server.ts": { data: load(({ url }) => leads(`/${url.searchParams.get("next")}`)) },
  "ours.tsx": { default: Page },
  "ours.server.ts": { data: load(() => leads("https://partner.example/welcome")) },
  "api.server.ts": { GET: (_request: Request, context: RequestContext) => wanted(context) },
};

test("a target that came with the request and leads away is refused with 400, and is nobody's error", async () => {
  await using app = await testApplication(files);
  const post = (path: string, body: string, headers: Record<string, string>) =>
    app.ask(path, { method: "POST", body, headers });
  for (const next of [
    "https://evil.example/x",
    "//evil.example",
    "javascript:alert(1)",
    "/\\evil.example",
    "\\\\evil.example",
  ]) {
    const given = encodeURIComponent(next);
    expect([next, (await app.ask(`/sign-in?next=${given}`)).status]).toEqual([next, 400]);
    expect([next, (await app.ask(`/sign-in/_data?next=${given}`)).status]).toEqual([next, 400]);
    expect([next, (await app.ask(`/api?next=${given}`)).status]).toEqual([next, 400]);
    expect([next, (await post("/sign-in/_action/go", `next=${given}`, form)).status]).toEqual([next, 400]);
  }
  const json = { "content-type": "application/json" };
  expect((await post("/sign-in/_action/json", '{"next":"https://evil.example"}', json)).status).toBe(400);
  expect((await app.ask("/back", { headers: { referer: "https://evil.example/" } })).status).toBe(400);
  expect((await app.ask("/slash?next=%2Fevil.example")).status).toBe(400);
  expect(app.recorded).toEqual([]);
});

test("a target of the application's own that leads away is an error of the application", async () => {
  await using app = await testApplication(files);
  for (const path of ["/ours", "/ours?next=welcome", "/ours?q=https"]) {
    const answer = await app.ask(path);
    expect([path, answer.status]).toEqual([path, 500]);
    expect(String(app.recorded.at(-1)?.error)).toContain("[unsafe-redirect]");
  }
  expect((await app.ask("/sign-in?next=%2Forders%3Fa%3D1")).headers.location).toBe("/orders?a=1");
});

test("every response over https has the header for HSTS", async () => {
  await using app = await testApplication(files, { origin: "https://shop.example" });
  await using plain = await testApplication(files);
  for (const [path, status] of [
    ["/", 200],
    ["/sign-in/", 308],
    ["/sign-in?next=%2F", 303],
    ["/sign-in/_action/go", 303],
    ["/a%2Fb", 400],
    ["/api?next=%2F", 303],
    ["/nowhere", 404],
  ] as const) {
    const answer = await app.ask(path);
    expect([path, answer.status, answer.headers["strict-transport-security"]]).toEqual([
      path,
      status,
      "max-age=31536000",
    ]);
    expect((await plain.ask(path)).headers["strict-transport-security"]).toBeUndefined();
  }
  await using off = await testApplication(files, { origin: "https://shop.example", policy: { csp: {}, hsts: false } });
  expect((await off.ask("/sign-in/")).headers["strict-transport-security"]).toBeUndefined();
});
