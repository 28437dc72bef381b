import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { keepProof } from "../kit/keep-proof.ts";
import { randomFrom } from "../kit/random-from.ts";
import { fuzz } from "./fuzz-envelopes.ts";
import { dataFolder, RunningService } from "./running-service.ts";

const seconds = process.env.HOLDFAST_TEST_LONG === undefined ? 5 : 600;
const seed = Number(process.env.HOLDFAST_FUZZ_SEED ?? Date.now() % 1_000_000);
const samplesFolder = fileURLToPath(new URL("../compatibility/envelopes/", import.meta.url));

describe("real envelopes with changes at sensitive places", () => {
  const folder = dataFolder();
  afterAll(() => folder[Symbol.dispose]());

  it(
    `real envelopes that were changed are answered without a 5xx and filed or refused, for ${seconds} s (HOLDFAST_FUZZ_SEED=${seed})`,
    async () => {
      await using service = await RunningService.start(folder.path);
      const samples = readdirSync(samplesFolder)
        .filter((name) => name.endsWith(".envelope") || name.startsWith("otlp"))
        .map((name) => readFileSync(samplesFolder + name));
      const statuses = new Map<number, number>();
      const until = performance.now() + seconds * 1_000;
      await Promise.all(
        [0, 1, 2, 3].map(async (worker) => {
          const random = randomFrom(seed * 4 + worker);
          while (performance.now() < until) {
            const { address, body, headers, story } = fuzz(samples, random);
            const answer = await service.post(address, body, headers);
            if (answer.status >= 500)
              throw new Error(
                `${answer.status} ${answer.text} for ${address} after ${story}:\n${body.toString("latin1").slice(0, 2_000)}`,
              );
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          }
        }),
      );
      expect(statuses.get(200)).toBeGreaterThan(seconds * 10);
      expect(statuses.get(400)).toBeGreaterThan(seconds * 10);
      expect(service.isRunning).toBe(true);
      const { text } = await service.get("/metrics");
      expect(text).toContain("\nholdfast_put_aside_total 0\n");
      expect(text).toContain("\nholdfast_own_faults_total 0\n");
      expect((await service.get("/readyz")).status).toBe(200);
      await service.stop();
      const answers = [...statuses].sort(([left], [right]) => left - right).map(([status, n]) => `${n} × ${status}`);
      keepProof(
        "fuzzed-envelopes",
        [
          `${seconds} s of changed envelopes from 4 clients, no answer of 5xx, none put aside, no fault: ${answers.join(", ")}.`,
        ],
        seed,
      );
    },
    (seconds + 60) * 1_000,
  );
});
