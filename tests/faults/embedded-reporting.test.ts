import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { eventByIdOrDigest, openReader } from "../../src/service/index.ts";
import { application, startApp } from "../kit/index.ts";

const app = application({
  "holdfast.config.ts": `export default { report: { sampleRate: 1, release: "r1" } };`,
  "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }`,
  "src/pages/broken.tsx": `export default function Broken() { throw new TypeError("no cart"); }`,
});

test("without any setting an error is in the service that comes with the application, found by its digest", async () => {
  const running = await startApp({ app });
  onTestFinished(() => running.stop());
  await (await fetch(running.url)).text();
  const answer = await fetch(`${running.url}/broken`);
  const digest = answer.headers.get("x-digest") ?? "";
  const reader = openReader(join(running.dataFolder, "data"));
  await expect.poll(() => eventByIdOrDigest(reader, 1, digest)?.issue.title, { timeout: 20_000 }).toContain("no cart");

  // One error and two traced requests, the first of them the page; and nothing about any of them.
  const arrived = (): number => reader.recent(1, undefined, 100).length;
  const before = arrived();
  await wait(5_000);
  expect(arrived()).toBe(before);
  expect(reader.recent(1, undefined, 100).length).toBeLessThanOrEqual(3);
}, 60_000);
