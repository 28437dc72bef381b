import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { dataFolder, RunningService } from "./running-service.ts";

/** A disk of 48 MiB for one process, which Linux grants in a separate namespace. */
const smallDisk = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=48m none "$0" && exec "$@"'];
const canHaveSmallDisk = spawnSync(smallDisk[0] ?? "", [...smallDisk.slice(1), "/mnt", "true"]).status === 0;

// Other systems cannot provide such a disk. There, the journal's own tests on a disk that fills up must suffice.
describe.runIf(canHaveSmallDisk)("a service whose disk is full", () => {
  it("refuses with a delay, stays readable, and recovers without a restart when there is room again", async () => {
    using folder = dataFolder();
    await using service = await RunningService.start(folder.path, { under: [...smallDisk, folder.path] });
    const acknowledged: string[] = [];
    for (let count = 0; count < 50; count += 1) expect((await send(service, acknowledged)).status).toBe(200);
    await service.filed();

    const filler = fill(join("/proc", String(service.pid), "root", folder.path));
    const refused = await firstRefusal(service, acknowledged);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(5);
    expect(refused.headers["x-sentry-rate-limits"]).toBe("5::project:unavailable");
    expect((await service.get("/readyz")).status).toBe(503);
    expect((await service.get("/healthz")).status).toBe(200);
    expect(missingOf(service, acknowledged.slice(0, 50))).toEqual([]);

    rmSync(filler);
    await expect
      .poll(async () => (await send(service, acknowledged)).status, { timeout: 10_000, interval: 100 })
      .toBe(200);
    await service.filed();
    expect(missingOf(service, acknowledged)).toEqual([]);
    expect(missingOf(service, ["0123456789abcdef0123456789abcdef"])).toEqual(["0123456789abcdef0123456789abcdef"]);
    expect((await service.get("/readyz")).status).toBe(200);
  });
});

async function send(service: RunningService, acknowledged: string[]) {
  const eventId = newEventId();
  const event = { event_id: eventId, message: "x".repeat(3_000) };
  const answer = await service.post("envelope/", writeEnvelope({ eventId }, [jsonItem("event", event)]));
  if (answer.status === 200) acknowledged.push(eventId);
  return answer;
}

/** Reads the store inside the service's namespace, which has its disk. */
function missingOf(service: RunningService, ids: readonly string[]): string[] {
  const enter = ["-t", String(service.pid), "-U", "-m", "--preserve-credentials"];
  const program = fileURLToPath(new URL("./missing-events-process.ts", import.meta.url));
  const args = [...enter, process.execPath, "--conditions=holdfast-source", program, join(service.folder, "store")];
  const { status, stdout, stderr } = spawnSync("nsenter", args, { input: ids.join("\n"), encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.split("\n").filter((id) => id !== "");
}

async function firstRefusal(service: RunningService, acknowledged: string[]) {
  for (let count = 0; count < 1_000; count += 1) {
    const answer = await send(service, acknowledged);
    if (answer.status !== 200) return answer;
  }
  throw new Error("The service took a thousand events on a full disk.");
}

function fill(folder: string): string {
  const filler = join(folder, "filler");
  const handle = openSync(filler, "w");
  try {
    for (const size of [1_048_576, 4_096]) writeUntilFull(handle, Buffer.alloc(size));
  } finally {
    closeSync(handle);
  }
  return filler;
}

function writeUntilFull(handle: number, block: Buffer): void {
  try {
    while (writeSync(handle, block) === block.length);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}
