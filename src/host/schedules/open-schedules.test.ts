import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { NamedSchedule } from "#pages";
import { openReader, openSharedState } from "#service";
import { serveOnePage } from "../../../tests/kit/serve-one-page.ts";

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-schedules-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Yearly, so that only a run that catches up can happen in a test. */
function yearly(name: string, run: NamedSchedule["run"]): NamedSchedule {
  return { kind: "holdfast.schedule", name, crontab: "@yearly", run, options: { missed: "run-once" } };
}

test("a task that was due during a stop runs in one of three servers, is awaited at their stop, and checks in", async () => {
  const folder = folderOfTest();
  const lastYear = Date.now() - 400 * 86_400_000;
  const claims = (await openSharedState(join(folder, "data"))).openScheduleClaims();
  await claims.lastDue({ application: "application", name: "report", now: lastYear });
  await claims.lastDue({ application: "application", name: "broken", now: lastYear });
  await claims.close();
  const events: string[] = [];
  const begun = Promise.withResolvers<void>();
  const schedules = [
    yearly("report", async ({ signal }) => {
      events.push("began");
      begun.resolve();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      events.push("ended");
    }),
    yearly("broken", () => {
      events.push("broke");
      throw new Error("no paper");
    }),
  ];
  const servers = [await serveOnePage(folder, { schedules }), await serveOnePage(folder, { schedules })];
  servers.push(await serveOnePage(folder, { schedules }));
  const reader = await openReader(join(folder, "data"));
  onTestFinished(() => reader.close());
  await begun.promise;
  const statuses = async () => (await reader.monitors(1)).map(({ name, lastStatus }) => `${name} ${lastStatus}`);
  await expect.poll(statuses).toEqual(["broken error", "report in_progress"]);
  // The server with the service ends last, so that the others can deliver their check-ins.
  const [first, ...others] = servers;
  await Promise.all(others.map((server) => server.stop({ withinMs: 3_000 })));
  expect(await first?.stop({ withinMs: 3_000 })).toBe("finished");
  expect(events.toSorted()).toEqual(["began", "broke", "ended"]);
});

test("a wrong crontab stops the start and names the schedule", async () => {
  const wrong = { ...yearly("report", () => undefined), crontab: "every day" };
  await expect(serveOnePage(folderOfTest(), { schedules: [wrong] })).rejects.toThrow(
    /schedule report .*\[wrong-schedule\]/s,
  );
});

test("in development, a task runs by hand only", async () => {
  const folder = folderOfTest();
  const runs: string[] = [];
  const schedules = [
    yearly("report", ({ name }) => void runs.push(name)),
    yearly("broken", () => {
      throw new Error("no paper");
    }),
  ];
  const server = await serveOnePage(folder, { schedules, development: true });
  onTestFinished(async () => void (await server.stop({ withinMs: 1_000 })), 30_000);
  const address = `${server.url}/_holdfast/schedules`;
  expect(await (await fetch(address)).json()).toEqual({ schedules: ["report", "broken"] });
  const done = await fetch(`${address}/report`, { method: "POST" });
  expect([done.status, await done.json()]).toEqual([200, { kind: "ended" }]);
  const failed = await fetch(`${address}/broken`, { method: "POST" });
  expect(failed.status).toBe(500);
  expect(await failed.json()).toMatchObject({ kind: "failed", digest: expect.stringMatching(/^[0-9A-Z-]{14}$/) });
  const unknown = await fetch(`${address}/other`, { method: "POST" });
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    expect.objectContaining({ problem: expect.any(String) }),
  ]);
  const foreign = { method: "POST", headers: { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" } };
  const refused = await fetch(`${address}/report`, foreign);
  expect([refused.status, await refused.json()]).toEqual([403, { problem: "Another site asked for this." }]);
  expect(runs).toEqual(["report"]);
});
