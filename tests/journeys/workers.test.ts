import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect } from "vitest";
import { journey } from "../kit/index.ts";
import { runHoldfast } from "../kit/running-app.ts";

const test = journey({ app: "tests/fixtures/walk", args: ["--workers", "2"] });

describe("an application in two processes", () => {
  test("has one service: what fails in either process is found by its digest", async ({ app }) => {
    const processes = childrenOf(app.pid);
    expect(processes).toHaveLength(2);
    const digests = await Promise.all(Array.from({ length: 12 }, () => digestOf(app.url)));
    expect(new Set(digests).size).toBe(12);
    for (const digest of digests) expect(await eventOf(digest, app.dataFolder)).toContain(digest);
  });

  test("goes on when one process is killed, and has two again", async ({ app }) => {
    const [first = 0] = childrenOf(app.pid);
    process.kill(first, "SIGKILL");
    while (childrenOf(app.pid).filter((pid) => pid !== first).length < 2) await wait(50);
    const digest = await digestOf(app.url);
    expect(await eventOf(digest, app.dataFolder)).toContain(digest);
  });
});

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}

/** On a connection of its own, so that the processes take turns. */
async function digestOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/broken`, { headers: { connection: "close" } });
  return answer.headers.get("x-digest") ?? "none";
}

/** Reports of the process without the service travel for a moment. */
async function eventOf(digest: string, dataFolder: string): Promise<string> {
  for (let tries = 0; ; tries++) {
    const { code, log } = await runHoldfast(["event", digest, "--data", `${dataFolder}/data`]);
    if (code === 0 || tries === 20) return log;
    await wait(500);
  }
}
