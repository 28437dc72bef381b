import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { root } from "../../scripts/root.js";
import { openTestApp } from "../../src/cli/testing.ts";
import { application, journey } from "../kit/index.ts";
import { openSocket } from "../kit/socket-client.ts";

/** A talk between tabs, in two processes, and news that go on where they stopped. */
const app = application({
  "src/server/room.ts": `import { channel } from "holdfast/server";
export const room = channel<{ text: string; by: number }>("room");
`,
  "src/pages/talk.server.ts": `import { onSocket, type Schema } from "holdfast/server";
import { room } from "../server/room.ts";
const said: Schema<string> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => (typeof value === "string" ? { value } : { issues: [{ message: "Say something." }] }),
  },
};
const heard: Schema<{ text: string; by: number }> = { "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [] }) } };
export const socket = onSocket({ receives: said, sends: heard }, async ({ messages, send, signal }) => {
  room.subscribe(send, { signal });
  for await (const text of messages) await room.publish({ text, by: process.pid });
});
`,
  "src/pages/news.server.ts": `import { setTimeout as wait } from "node:timers/promises";
import { events } from "holdfast/server";
export const GET = () =>
  events(async function* ({ lastEventId, signal }) {
    for (let id = Number(lastEventId ?? 0) + 1; ; id++) {
      yield { id, data: { id, by: process.pid } };
      await wait(20, undefined, { signal });
    }
  });
`,
  "src/pages/index.tsx": `import { useSocket } from "holdfast";
import { useEffect, useState } from "react";
export default function Talk() {
  const [all, setAll] = useState<string[]>([]);
  const { state, send } = useSocket("/talk", { onMessage: ({ text }) => setAll((before) => [...before, text]) });
  const [text, setText] = useState("");
  useEffect(() => {
    const seen: unknown[] = [];
    Object.assign(window, { seen });
    const source = new EventSource("/news");
    source.onmessage = ({ data }) => seen.push(JSON.parse(data));
    return () => source.close();
  }, []);
  return (
    <main>
      <h1>Talk</h1>
      <p id="state">{state}</p>
      <label>Text <input value={text} onChange={(event) => setText(event.target.value)} /></label>
      <button type="button" onClick={() => send(text)}>Say</button>
      <ul>{all.map((one) => <li key={one}>{one}</li>)}</ul>
    </main>
  );
}
`,
});
const test = journey({ app, args: ["--workers", "2"], env: { HOLDFAST_DRAIN_SECONDS: "0" } });

const stateOf = (page: Page) => () => page.locator("#state").textContent();
const listOf = (page: Page) => () => page.locator("li").allTextContents();

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Text").fill(text);
  await page.getByRole("button", { name: "Say" }).click();
}

test("two tabs talk with each other, also when they are connected to different processes", async ({ app, browser }) => {
  const clients = await Promise.all(Array.from({ length: 6 }, () => openSocket(`${app.url}/talk`)));
  onTestFinished(() => clients.forEach(({ raw }) => void raw.terminate()));
  for (const [number, client] of clients.entries()) client.send(`from ${number}`);
  // Everybody hears everything, and more than one process has spoken.
  await expect.poll(() => clients.map(({ received }) => received.length)).toEqual([6, 6, 6, 6, 6, 6]);
  expect(new Set(clients[0]?.received.map((message) => (message as { by: number }).by)).size).toBe(2);
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const [one, two] = [await context.newPage(), await context.newPage()];
  for (const page of [one, two]) {
    await page.goto(app.url);
    await expect.poll(stateOf(page)).toBe("open");
  }
  await say(one, "hello");
  await say(two, "hello back");
  for (const page of [one, two]) await expect.poll(listOf(page)).toEqual(["hello", "hello back"]);
});

test("a tab comes back to the next server by itself: what was said meanwhile is sent, and the news go on", async ({
  app,
  browser,
}) => {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(app.url);
  await expect.poll(stateOf(page)).toBe("open");
  const seen = () => page.evaluate("window.seen") as Promise<{ id: number; by: number }[]>;
  await expect.poll(async () => (await seen()).length).toBeGreaterThan(3);
  await app.stop();
  await expect.poll(stateOf(page)).not.toBe("open");
  await say(page, "said meanwhile");
  const before = await seen();
  await app.start();
  await expect.poll(stateOf(page), { timeout: 30_000 }).toBe("open");
  await expect.poll(listOf(page)).toEqual(["said meanwhile"]);
  await expect.poll(async () => (await seen()).length, { timeout: 30_000 }).toBeGreaterThan(before.length + 3);
  const all = await seen();
  expect(all.map(({ id }) => id)).toEqual(all.map((_, at) => at + 1));
  expect(new Set(all.map(({ by }) => by)).size).toBe(2);
});

test("the sockets of an application work in development, with the same checks", async () => {
  const running = await openTestApp({ root: join(root, app), say: () => undefined });
  onTestFinished(() => running.close());
  const client = await openSocket(`${running.url}/talk`);
  client.send("hello");
  await expect.poll(() => client.received).toEqual([{ text: "hello", by: process.pid }]);
  client.send({ no: "text" });
  expect(await client.closed).toMatchObject({ code: 1008, reason: ": Say something." });
  await expect(openSocket(`${running.url}/talk`, { headers: { origin: "https://evil.example" } })).rejects.toThrow(
    "403",
  );
});
