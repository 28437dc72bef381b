import { expect } from "vitest";
import { application, journey } from "../kit/index.ts";
import { pages, serve } from "../kit/small-server.ts";

const test = journey({
  app: application({
    "src/pages/index.tsx": "export default function Home() { return <h1>Home</h1>; }",
    "src/pages/api/rates.server.ts": `
import { type RequestContext, unauthorized } from "holdfast/server";
export const origins = "any";
export function guard({ headers }: RequestContext): void {
  if (headers.get("authorization") !== "Bearer right") unauthorized();
}
export async function PUT(request: Request, { cookies }: RequestContext): Promise<Response> {
  return Response.json({ said: await request.text(), cookies: cookies.get("session") ?? "none" });
}`,
    "src/pages/api/own.server.ts": "export function PUT(): Response { return Response.json({}); }",
  }),
});

test("a page of another origin calls an API that admits it by its token, and no other", async ({ app, browser }) => {
  const elsewhere = await serve(pages({ "/": "<h1>Elsewhere</h1>" }));
  const page = await browser.newPage();
  await page.context().addCookies([{ name: "session", value: "ada", url: app.url }]);
  await page.goto(elsewhere.url.replace("127.0.0.1", "localhost"));
  const put = (path: string, token: string): Promise<unknown> =>
    page.evaluate(
      async ([url, authorization]) => {
        try {
          const answer = await fetch(url, { method: "PUT", body: "hello", headers: { authorization } });
          return [answer.status, await answer.json()];
        } catch {
          return "the browser keeps it from the page";
        }
      },
      [app.url + path, `Bearer ${token}`] as const,
    );
  expect(await put("/api/rates", "right")).toEqual([200, { said: "hello", cookies: "none" }]);
  expect(await put("/api/rates", "wrong")).toEqual([401, { title: "Unauthorized", status: 401 }]);
  expect(await put("/api/own", "right")).toBe("the browser keeps it from the page");
  await page.close();
  await elsewhere.stop();
});
