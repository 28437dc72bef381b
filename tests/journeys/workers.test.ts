import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect } from "vitest";
import { root } from "../../scripts/root.js";
import { eventByIdOrDigest } from "../../src/service/index.ts";
import { application, buildApp, journey, journeyThrough, startApp, writeFiles } from "../kit/index.ts";
import { childrenOf } from "../kit/processes-of.ts";
import { readerOf } from "../kit/reader-of.ts";

const test = journey({ app: "tests/fixtures/walk", args: ["--workers", "3"] });

// No other test has the same files, and with them the same folder.
const spoilt = application({
  "holdfast.config.ts": "export default {};",
  "src/pages/index.tsx": `export default function Home() { return <h1>Settings are spoilt</h1>; }`,
});
const testSpoilt = journeyThrough(async () => {
  writeFiles(join(root, spoilt), { "holdfast.config.ts": "export default {};" });
  await buildApp(spoilt);
  return startApp({ app: spoilt, args: ["--workers", "2"] });
});

describe("an application in three processes", () => {
  test("has one service: an error of any of them is found by its digest", async ({ app }) => {
    expect(childrenOf(app.pid)).toHaveLength(3);
    const digests = await Promise.all(Array.from({ length: 30 }, () => digestOf(app.url)));
    expect(new Set(digests).size).toBe(30);
    await allAreKept(digests, app);
  });

  test("continues when one process is killed, and has three again", async ({ app }) => {
    const [first = 0] = childrenOf(app.pid);
    process.kill(first, "SIGKILL");
    await expect
      .poll(() => childrenOf(app.pid).filter((pid) => pid !== first).length, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(3);
    await allAreKept([await digestOf(app.url)], app);
  });

  test("is replaced process by process on SIGHUP, while every request is answered", async ({ app }) => {
    const before = childrenOf(app.pid);
    const visits = keepVisiting(app.url);
    process.kill(app.pid, "SIGHUP");
    await expect
      .poll(() => childrenOf(app.pid).filter((pid) => !before.includes(pid)).length, { timeout: 60_000 })
      .toBe(3);
    await expect.poll(() => childrenOf(app.pid).length, { timeout: 60_000 }).toBe(3);
    const { statuses, failures } = await visits.end();
    expect(failures).toEqual([]);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(statuses.length).toBeGreaterThan(100);
    await allAreKept([await digestOf(app.url)], app);
  });
});

testSpoilt("goes on with its old processes if a new one does not start", async ({ app }) => {
  const before = childrenOf(app.pid);
  writeFiles(join(root, spoilt), { "holdfast.config.ts": "export default { hosts: 5 };" });
  process.kill(app.pid, "SIGHUP");
  await expect.poll(() => app.log, { timeout: 30_000 }).toContain("A new server process did not start");
  expect(childrenOf(app.pid)).toEqual(before);
  expect((await fetch(app.url, { headers: { connection: "close" } })).status).toBe(200);
});

/** Visitors who load pages one after the other: some keep their connection, others open one for each request. */
function keepVisiting(url: string): { end(): Promise<{ statuses: number[]; failures: string[] }> } {
  const statuses: number[] = [];
  const failures: string[] = [];
  let isOver = false;
  const visit = async (agent: Agent): Promise<void> => {
    while (!isOver)
      await statusOf(url, agent).then(
        (status) => statuses.push(status),
        (error: unknown) => failures.push(String(error)),
      );
    agent.destroy();
  };
  const all = Array.from({ length: 8 }, (_, index) => visit(new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 })));
  return {
    end: async () => {
      isOver = true;
      await Promise.all(all);
      return { statuses, failures };
    },
  };
}

async function statusOf(url: string, agent: Agent): Promise<number> {
  const asked = get(url, { agent });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  await text(answer);
  return answer.statusCode ?? 0;
}

/** On a separate connection, so that the processes take turns. */
async function digestOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/broken`, { headers: { connection: "close" } });
  return answer.headers.get("x-digest") ?? "none";
}

/** Reports of a process without the service arrive a moment later. */
async function allAreKept(digests: readonly string[], app: { dataFolder: string }): Promise<void> {
  const reader = await readerOf(app);
  const missing = async (): Promise<string[]> => {
    const lost: string[] = [];
    for (const digest of digests)
      if (!(await eventByIdOrDigest({ store: reader, now: Date.now() }, 1, digest))) lost.push(digest);
    return lost;
  };
  await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
}
