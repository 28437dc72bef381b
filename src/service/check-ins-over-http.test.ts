import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { jsonItem, writeEnvelope } from "#protocol";
import { checkInLimits } from "./check-ins/limits.ts";
import { watchCheckIns } from "./check-ins/watch-check-ins.ts";
import { systemClock } from "./clock.ts";
import { openConsoleApi } from "./console-api/console-api.ts";
import { openReader } from "./open-reader.ts";
import { openService } from "./open-service.ts";
import { readFilter } from "./stores/filter-language.ts";
import { openStore } from "./stores/open-store.ts";
import { storeAddressOf } from "./stores/store-address.ts";

const minute = 60_000;

interface TestService {
  /** Sends to an address of project 1, as clients do. */
  post(path: string, body?: string): Promise<void>;
  /** Evaluates at a moment. `kill`: the process dies before it has saved what it found. */
  watch(at: number, kill?: "kill"): Promise<void>;
  issues(filter?: string): Promise<readonly { title: string; state: { kind: string }; events: number; id: number }[]>;
  history(issue: number): Promise<readonly { by: string; what: { kind: string } }[]>;
}

/** A service at a port, which is stopped while its store is evaluated by a clock of the test. */
async function serving(): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-check-ins-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const withService = async (work: (service: Awaited<ReturnType<typeof openService>>) => Promise<void>) => {
    const service = await openService({ dataFolder: folder });
    try {
      await work(service);
      await service.drained();
    } finally {
      await service.close();
    }
  };
  const open = async () => openStore(storeAddressOf(folder, undefined), {});
  const reading = async <T>(work: (store: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> => {
    const store = await open();
    try {
      return await work(store);
    } finally {
      store.close();
    }
  };
  return {
    post: (path, body) =>
      withService(async (service) => {
        const server = createServer((request, response) => void service.handle(request, response)).listen(0);
        await once(server, "listening");
        const { port } = server.address() as AddressInfo;
        const key = service.projects.byId(1)?.publicKey ?? "";
        const address = `http://127.0.0.1:${port}/api/1/${path.replace("KEY", key)}`;
        const answer = await fetch(address, {
          method: body === undefined ? "GET" : "POST",
          headers: { "X-Sentry-Auth": `Sentry sentry_version=7, sentry_client=sentry-cli/3.8.0, sentry_key=${key}` },
          ...(body === undefined ? {} : { body }),
        });
        server.close();
        expect(answer.status).toBeLessThan(300);
      }),
    async watch(at, kill) {
      const reported: { project: number; envelope: Uint8Array }[] = [];
      await reading(async (store) => {
        await watchCheckIns({
          store: kill === undefined ? store : { ...store, changeMonitor: killed, setWatchedAt: killed },
          inTurn: (work) => work(),
          report: async (project, envelope) => void reported.push({ project, envelope }),
          hasFiledAll: () => true,
          clock: { ...systemClock, now: () => at + checkInLimits.graceMs },
          limits: checkInLimits,
        }).catch((error: unknown) => {
          if (kill === undefined) throw error;
        });
      });
      await withService(async (service) => {
        for (const { project, envelope } of reported)
          expect((await service.accept(project, envelope)).kind).toBe("accepted");
      });
    },
    issues: (filter = "") =>
      reading(
        async (store) =>
          (await store.issues({ project: 1, filter: readFilter(filter), sort: "first-seen", limit: 20 })).issues,
      ),
    history: (issue) => reading((store) => store.history(1, issue)),
  };
}

async function killed(): Promise<void> {
  throw new Error("killed");
}

/** As `sentry-cli monitors run --schedule "5 * * * *" --check-in-margin 1 nightly -- true` sends it. */
function cliCheckIn(status: "in_progress" | "ok" | "error", id: string, crontab: string): string {
  const checkIn = {
    check_in_id: id,
    monitor_slug: "nightly",
    status,
    environment: "production",
    ...(status === "in_progress"
      ? {
          monitor_config: {
            schedule: { type: "crontab", value: crontab },
            checkin_margin: 1,
            max_runtime: 30,
            timezone: "UTC",
          },
        }
      : { duration: 0.2 }),
  };
  const item = JSON.stringify(checkIn);
  return `{}\n{"type":"check_in","length":${Buffer.byteLength(item)}}\n${item}\n`;
}

const idOf = (n: number): string => `${n}`.padStart(32, "a");

test("sentry-cli runs a task by its schedule, then is silent: one issue, resolved by the next good run", async () => {
  const service = await serving();
  // Due in ten minutes, so that no run of the test is near it.
  const due = Math.ceil(Date.now() / minute + 10) * minute;
  const crontab = `${new Date(due).getUTCMinutes()} * * * *`;
  await service.post("envelope/", cliCheckIn("in_progress", idOf(1), crontab));
  await service.post("envelope/", cliCheckIn("ok", idOf(1), crontab));
  // Silence, evaluated now and then. The first missing minute is that of the margin.
  for (let at = Date.now(); at <= due + minute; at += 50_000) await service.watch(at);
  expect(await service.issues()).toEqual([]);
  await service.watch(due + minute + 1);
  await service.watch(due + 2 * minute);
  const [missed, ...others] = await service.issues("is:open");
  expect(others).toEqual([]);
  expect(missed).toMatchObject({ type: "MissedRun", level: "error", events: 1 });
  expect(missed?.title).toMatch(/^nightly did not run at /);
  await service.post("envelope/", cliCheckIn("in_progress", idOf(2), crontab));
  await service.post("envelope/", cliCheckIn("ok", idOf(2), crontab));
  await service.watch(due + 2.5 * minute);
  expect(await service.issues()).toMatchObject([{ id: missed?.id, state: { kind: "resolved" }, events: 1 }]);
  expect(await service.history(missed?.id ?? 0)).toMatchObject([
    { by: "check-ins", what: { kind: "state", to: { kind: "resolved" } } },
  ]);
}, 60_000);

test("a process that is killed between the report and its note reports a problem once", async () => {
  const service = await serving();
  await service.watch(Date.now());
  await service.post("cron/backup/KEY/?status=in_progress&environment=staging");
  await service.post("cron/backup/KEY/?status=error&environment=staging");
  const now = Date.now() + 1;
  await service.watch(now, "kill");
  await service.watch(now, "kill");
  await service.watch(now);
  await service.watch(now + 10_000);
  expect(await service.issues()).toMatchObject([{ type: "FailedRun", events: 1, state: { kind: "open" } }]);
  expect(await service.issues("check_in.problem:failed check_in.monitor:backup")).toHaveLength(1);
}, 60_000);

test("what was due while the service did not run is one note for the project, not an issue for each", async () => {
  const service = await serving();
  await service.watch(Date.now());
  for (const name of ["one", "two", "three"]) {
    const config = JSON.stringify({ monitor_config: { schedule: { type: "crontab", value: "* * * * *" } } });
    await service.post(`cron/${name}/KEY/?status=ok`, config);
  }
  const now = Date.now();
  await service.watch(now);
  await service.watch(now + 26 * 60 * minute);
  const issues = await service.issues();
  expect(issues).toMatchObject([{ type: "CheckInsNotWatched", level: "info", events: 1 }]);
  expect(issues[0]?.title).toMatch(/Whether 3 scheduled tasks ran/);
  await service.watch(now + 26 * 60 * minute + 10_000);
  expect(await service.issues()).toMatchObject([{ events: 1 }]);
}, 60_000);

test("a running service files the problem of a task by itself, and resolves it after the next good run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-check-ins-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const checkIns = { everyMs: 20, graceMs: 0 };
  const service = await openService({ dataFolder: folder, limits: { checkIns } });
  onTestFinished(() => service.close());
  const reader = await openReader(folder);
  onTestFinished(() => reader.close());
  const send = async (status: string): Promise<void> => {
    const item = jsonItem("check_in", { monitor_slug: "import", status, environment: "production" });
    expect((await service.accept(1, writeEnvelope({}, [item]))).kind).toBe("accepted");
  };
  const states = async () =>
    (await reader.issues({ project: 1, filter: readFilter(""), sort: "first-seen", limit: 9 })).issues.map(
      ({ type, state }) => `${type} ${state.kind}`,
    );
  await send("error");
  await expect.poll(states).toEqual(["FailedRun open"]);
  await send("ok");
  await expect.poll(states).toEqual(["FailedRun resolved"]);
  await send("error");
  await expect.poll(states).toEqual(["FailedRun regressed"]);
  const api = openConsoleApi({ service, dataFolder: folder, access: { kind: "open" } });
  onTestFinished(() => api.close());
  const task = { project: 1, name: "import", environment: "production" };
  await api.changeTask(task, "mute", "ada");
  expect(await api.scheduledTasks(1)).toMatchObject([{ isMuted: true, problems: ["failed"] }]);
  await api.changeTask(task, "delete", "ada");
  expect(await api.scheduledTasks(1)).toEqual([]);
  // No run could resolve its issue any more.
  expect(await states()).toEqual(["FailedRun resolved"]);
  expect((await api.administration.audit(1, 9)).map(({ what }) => what)).toEqual([
    "deleted the schedule import in production",
    "muted the schedule import in production",
  ]);
});
