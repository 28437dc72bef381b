import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventByIdOrDigest, openReader } from "../../src/service/index.ts";
import { application, startApp } from "../kit/index.ts";

const app = application({
  "holdfast.config.ts": `export default { report: { sampleRate: 0, release: "r1" } };`,
  "src/pages/index.tsx": `export default function Broken() { throw new TypeError("no cart"); }`,
});

test("several processes of one application report to the one service that one of them has", async () => {
  const running = await startApp({ app, args: ["--workers", "3"] });
  onTestFinished(() => running.stop());
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => fetch(running.url, { headers: { connection: "close" } })),
  );
  const digests = answers.map((answer) => answer.headers.get("x-digest") ?? "");
  const reader = openReader(join(running.dataFolder, "data"));
  const missing = (): string[] => digests.filter((digest) => !eventByIdOrDigest(reader, 1, digest));
  await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
}, 90_000);
