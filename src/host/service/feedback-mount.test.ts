import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Refusals } from "#bounds";
import type { ServerReporting } from "#reporting";
import { createFeedbackMount } from "./feedback-mount.ts";
import { createFormReply } from "./form-reply.ts";

type Posted = Parameters<ServerReporting["keepFeedback"]>[0];

async function start() {
  const refusals = new Refusals();
  const kept: Posted[] = [];
  const mount = createFeedbackMount({
    reporting: {
      keepFeedback: async (posted) => {
        if (posted.message === "") return "no-text";
        kept.push(posted);
        return "kept";
      },
    },
    clientOf: (incoming) => String(incoming.headers["x-client"] ?? "192.0.2.1"),
    refusals,
    reply: createFormReply({}),
  });
  const server = createServer((incoming, response) => void mount.handle(incoming, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = (fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${origin}/_holdfast/feedback`, { method: "POST", headers, body: new URLSearchParams(fields) });
  return { origin, send, kept, refusals };
}

test("Feedback is answered with a page, or with JSON to a script, and names the page that sent it", async () => {
  const { origin, send, kept } = await start();
  const page = await send({ message: "hello", name: "Jo", website: "" }, { referer: `${origin}/cart?coupon=1` });
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const html = await page.text();
  expect(html).toContain("We have received what you wrote.");
  // A reload would send the form again, or be refused.
  expect(html.match(/<a .+?<\/a>/g)).toEqual([`<a href="${origin}/cart?coupon=1">Back</a>`, '<a href="/">Home</a>']);
  const far = await send({ message: "hello" }, { referer: `${origin}/${"x".repeat(2_000)}` });
  expect((await far.text()).match(/<a .+?<\/a>/g)).toEqual(['<a href="/">Home</a>']);
  const headers = { accept: "application/json", referer: "https://elsewhere.test/" };
  const json = await send({ message: "hi", facts: '{"route":"/"}' }, headers);
  expect([json.status, await json.json()]).toEqual([200, { said: "We have received what you wrote." }]);
  expect(kept).toEqual([
    { message: "hello", name: "Jo", email: "", trap: "", facts: "", url: `${origin}/cart?coupon=1` },
    { message: "hello", name: "", email: "", trap: "", facts: "", url: `${origin}/${"x".repeat(2_000)}` },
    { message: "hi", name: "", email: "", trap: "", facts: '{"route":"/"}', url: undefined },
  ]);
});

test("Feedback is answered in the language of the browser where the application has none", async () => {
  const { send } = await start();
  const german = await send({ message: "hallo" }, { "accept-language": "fr, de-AT;q=0.8" });
  expect(await german.text()).toMatch(/lang="de".*Wir haben erhalten/);
});

test("Feedback without text, of another site, too large or by another method is refused", async () => {
  const { origin, send, kept } = await start();
  expect((await send({ message: "" })).status).toBe(422);
  expect((await send({ message: "x" }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await send({ message: "x".repeat(70_000) })).status).toBe(413);
  expect((await fetch(`${origin}/_holdfast/feedback`)).status).toBe(405);
  expect(kept).toEqual([]);
});

test("Feedback of one client is limited, and it learns when to retry; others are not affected", async () => {
  const { send, kept, refusals } = await start();
  for (let count = 0; count < 10; count++) expect((await send({ message: "x" })).status).toBe(200);
  const refused = await send({ message: "x" });
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect((await send({ message: "x" }, { "x-client": "192.0.2.2" })).status).toBe(200);
  expect([kept.length, refusals.totals.get("feedback")]).toEqual([11, 1]);
});
