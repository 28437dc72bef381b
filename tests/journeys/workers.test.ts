import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { eventByIdOrDigest, openReader } from "../../src/service/index.ts";
import { journey } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/walk", args: ["--workers", "3"] });

describe("an application in three processes", () => {
  test("has one service: an error of any of them is found by its digest", async ({ app }) => {
    expect(childrenOf(app.pid)).toHaveLength(3);
    const digests = await Promise.all(Array.from({ length: 30 }, () => digestOf(app.url)));
    expect(new Set(digests).size).toBe(30);
    await allAreKept(digests, app.dataFolder);
  });

  test("continues when one process is killed, and has three again", async ({ app }) => {
    const [first = 0] = childrenOf(app.pid);
    process.kill(first, "SIGKILL");
    await expect
      .poll(() => childrenOf(app.pid).filter((pid) => pid !== first).length, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(3);
    await allAreKept([await digestOf(app.url)], app.dataFolder);
  });
});

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}

/** On a separate connection, so that the processes take turns. */
async function digestOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/broken`, { headers: { connection: "close" } });
  return answer.headers.get("x-digest") ?? "none";
}

/** Reports of a process without the service arrive a moment later. */
async function allAreKept(digests: readonly string[], dataFolder: string): Promise<void> {
  const reader = await openReader(join(dataFolder, "data"));
  const missing = async (): Promise<string[]> => {
    const lost: string[] = [];
    for (const digest of digests)
      if (!(await eventByIdOrDigest({ store: reader, now: Date.now() }, 1, digest))) lost.push(digest);
    return lost;
  };
  await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
}
