/** Measures the memory of a service that has filed a few events and is idle. Target: at most 100 MB. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { writeEnvelope } from "#protocol";
import { sendAll } from "../kit/bare-client.ts";
import { memoryOf } from "../kit/measured-process.ts";
import { EventSource } from "./generated-events.ts";

const built = fileURLToPath(new URL("../../dist/cli/index.js", import.meta.url));
const command = fileURLToPath(new URL("../../bin/holdfast.js", import.meta.url));

export async function measureIdleMemory(): Promise<void> {
  if (!existsSync(built)) throw new Error("The package is not built; `npm run build` makes what is measured here.");
  const folder = mkdtempSync(join(tmpdir(), "holdfast-idle-"));
  const service = spawn(process.execPath, [command, "service", "--port", "0", "--data", folder]);
  try {
    let output = "";
    service.stdout.on("data", (data) => {
      output += data;
    });
    while (!output.includes("Console:")) await once(service.stdout, "data");
    const [, key = "", port = ""] = /http:\/\/(\w{32})@[\d.]+:(\d+)\/1/.exec(output) ?? [];
    const pid = service.pid ?? 0;
    await wait(5_000);
    console.log(`started, nothing sent: ${memoryOf(pid, "VmRSS").toFixed(0)} MB (target: at most 100)`);
    const source = new EventSource({ seed: 3, total: 1_000, days: 1, until: Date.now() });
    let left = 1_000;
    await sendAll({ port: Number(port), key }, 8, () => {
      if (left-- <= 0) return undefined;
      const { eventId, payload } = source.next();
      return writeEnvelope({ eventId }, [{ header: { type: "event" }, payload: Buffer.from(payload) }]);
    });
    await wait(15_000);
    console.log(`15 s after a thousand errors: ${memoryOf(pid, "VmRSS").toFixed(0)} MB\n`);
  } finally {
    service.kill("SIGTERM");
    await once(service, "exit");
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) await measureIdleMemory();
