import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { keepProof } from "../kit/keep-proof.ts";
import { ManyWriters } from "./many-writers.ts";
import { dataFolder, RunningService } from "./running-service.ts";

const rounds = process.env.HOLDFAST_TEST_LONG === undefined ? 5 : 50;
const writers = 16;
const source = fileURLToPath(new URL("./power-cut.c", import.meta.url));
const hasCompiler = process.platform === "linux" && spawnSync("gcc", ["--version"]).status === 0;

// Without a compiler, the test cannot see what a process has synced. The journal's own power cuts are simulated
// everywhere.
describe.runIf(hasCompiler)("a machine whose power is cut repeatedly while 16 clients send", () => {
  it(`has everything the service acknowledged once, after ${rounds} cuts`, { timeout: rounds * 20_000 }, async () => {
    using folder = dataFolder();
    const data = join(folder.path, "data");
    const survivors = join(folder.path, "survivors");
    const library = join(folder.path, "power-cut.so");
    const compiled = spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"], {
      encoding: "utf8",
    });
    expect(compiled.stderr).toBe("");
    mkdirSync(data);
    mkdirSync(survivors);
    const under = ["env", `LD_PRELOAD=${library}`, `POWER_CUT_FOLDER=${data}`, `POWER_CUT_SURVIVORS=${survivors}`];

    const clients = new ManyWriters();
    for (let round = 0; round < rounds; round += 1) {
      await using service = await RunningService.start(data, { under });
      const sending = clients.sendUntilDead(service, writers);
      // Now and then long enough for the store to be made durable and the journal to be released.
      await wait(round % 3 === 0 ? 6_000 : 50 + Math.random() * 1_000);
      await service.kill();
      await sending;
      rmSync(data, { recursive: true });
      cpSync(survivors, data, { recursive: true });
    }
    expect(clients.acknowledged.size).toBeGreaterThan(rounds * writers);
    await using survivor = await RunningService.start(data);
    await survivor.filed();
    await survivor.stop();
    await clients.expectOnceEachIn(data);
    keepProof("power-cuts", [
      `${rounds} cuts of power under ${writers} writers, each keeping only what was synced: ${clients.told}, none missing, none twice, every counter equal to its rows.`,
    ]);
  });
});
