import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../src/protocol/digest.ts";
import { eventByIdOrDigest } from "../../src/service/index.ts";
import { application, type RunningApp, receiver, startApp } from "../kit/index.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { readerOf } from "../kit/reader-of.ts";

/** Every twentieth request fails. */
const app = application({
  "holdfast.config.ts": `export default { report: { dsn: process.env.TEST_DSN, sampleRate: 0, release: "r1" } };`,
  "src/pages/index.tsx": `export default function Home({ data }) { return <h1>{data.text}</h1>; }`,
  "src/pages/index.server.ts": `
    import { load } from "holdfast/server";
    export const data = load(({ url }) => {
      const n = url.searchParams.get("n");
      if (url.searchParams.has("fail")) throw new Error("failure number " + n);
      return { text: "well" };
    });`,
  "src/pages/end.server.ts": `
    import { captureError } from "holdfast/report";
    export function GET() {
      captureError(new Error("the last words"));
      process.exit(1);
    }`,
});

const kills = process.env.HOLDFAST_TEST_LONG === undefined ? 5 : 100;

describe("no error is lost", () => {
  test(
    `no error is lost in ${kills} sudden ends of the server: every digest that a visitor was shown is an event`,
    async () => {
      const running = await startApp({ app });
      onTestFinished(() => running.stop());
      const shown = new Set<string>();
      for (let round = 0; round < kills; round++) {
        const asking = Array.from({ length: 8 }, () => askUntilGone(running, shown));
        // At a random moment of the work.
        const before = shown.size;
        await expect.poll(() => shown.size - before, { timeout: 20_000, interval: 5 }).toBeGreaterThan(2);
        await wait(Math.random() * 50);
        await running.kill();
        await Promise.all(asking);
        await running.start();
      }
      expect(shown.size).toBeGreaterThan(kills);
      const reader = await readerOf(running);
      const missing = async (): Promise<string[]> => {
        const lost: string[] = [];
        for (const digest of shown)
          if (!(await eventByIdOrDigest({ store: reader, now: Date.now() }, 1, digest))) lost.push(digest);
        return lost;
      };
      await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
      keepProof("page-server-killed", [
        `The page server was killed ${kills} times with SIGKILL while eight visitors asked for pages that fail. They were shown ${shown.size} digests;`,
        "every one of them is an event in the service afterwards.",
      ]);
    },
    75_000 + kills * 15_000,
  );

  test("no error is lost when the application ends its process right after it has reported one", async () => {
    const service = await receiver();
    const running = await startApp({ app, env: { TEST_DSN: service.dsn } });
    onTestFinished(async () => {
      await running.stop();
      await service.stop();
    });
    await expect(fetch(`${running.url}/end`)).rejects.toThrow();
    await expect.poll(() => running.crash, { timeout: 20_000 }).toContain("(1)");
    await running.start();
    await service.until(({ type }) => type === "event", 1);
    const values = service.items
      .filter(({ type }) => type === "event")
      .map(({ value }) => value.exception.values[0].value);
    expect(values).toEqual(["the last words"]);
  }, 60_000);

  test("no error is lost when the server is restarted while the service is unavailable", async () => {
    const service = await receiver();
    const running = await startApp({ app, env: { TEST_DSN: service.dsn } });
    onTestFinished(async () => {
      await running.stop();
      await service.stop();
    });
    service.answer = { status: 503 };
    const shown: string[] = [];
    for (let at = 0; at < 5; at++) {
      const answer = await fetch(`${running.url}/?n=${at}&fail=1`);
      shown.push(answer.headers.get("x-digest") ?? "");
      if (at === 2) await running.restart();
    }
    await running.kill();
    service.answer = { status: 200 };
    await running.start();
    await service.until(({ type }) => type === "event", 5);
    const arrived = service.items.filter(({ type }) => type === "event").map(({ value }) => digestOf(value.event_id));
    expect(arrived.toSorted()).toEqual(shown.toSorted());
  }, 60_000);
});

async function askUntilGone(running: RunningApp, shown: Set<string>): Promise<void> {
  for (let at = 0; ; at++) {
    try {
      const answer = await fetch(`${running.url}/?n=${at}&fail=1`);
      const digest = answer.headers.get("x-digest");
      if (digest) shown.add(digest);
      await answer.text();
    } catch {
      // The server was killed, as intended.
      return;
    }
  }
}
