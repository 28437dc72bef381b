import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startCluster } from "../../tests/kit/cluster.ts";

/** Events of one writer. Enough that a checkpoint and folds are in them. */
const eventsEach = 60_000;

/**
 * Measures how many events a second are filed into a cluster of three nodes on this machine, each commit on a quorum,
 * by one, two and four processes at once. Each parses, groups and packs its own events.
 */
export async function measureQuorum(): Promise<void> {
  await using cluster = await startCluster();
  for (const writers of [1, 2, 4]) {
    const begun = performance.now();
    await Promise.all(Array.from({ length: writers }, (_, n) => load(cluster.address, writers * 100 + n)));
    const seconds = (performance.now() - begun) / 1000;
    const rate = (writers * eventsEach) / seconds;
    console.log(`${writers} writers: ${rate.toFixed(0)} events a second with quorum commit, generating included`);
  }
}

async function load(store: string, seed: number): Promise<void> {
  const program = fileURLToPath(new URL("./load-and-ask.ts", import.meta.url));
  const own = ["--events", String(eventsEach), "--days", "7", "--store", store, "--seed", String(seed), "--load-only"];
  const child = spawn(process.execPath, ["--conditions=holdfast-source", program, ...own], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`A writer ended with ${code}.`);
}
