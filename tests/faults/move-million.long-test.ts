import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { batchesOf, noon } from "../../src/service/stores/filed-examples.ts";
import { generatedChunks } from "../../src/service/stores/generated-items.contract.ts";
import { openStore } from "../../src/service/stores/open-store.ts";
import { storeAddressOf } from "../../src/service/stores/store-address.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { startPostgres } from "../kit/postgres.ts";
import { dataFolder } from "./running-service.ts";

/** Two of three items are events, so that there are more than a million of them. */
const count = Number(process.env.HOLDFAST_TEST_ITEMS ?? 1_550_000);
/** As many as a service files at once. */
const perBatch = 1_000;

test("a million events are moved to PostgreSQL and back, each time with a kill", { timeout: 7_200_000 }, async () => {
  await using postgres = await startPostgres({ synchronous_commit: "on" });
  const address = await postgres.newDatabase();
  using source = dataFolder();
  using back = dataFolder();
  const fillSeconds = await secondsOf(() => fill(source.path));
  const there = ["--from", source.path, "--to", address];
  const andBack = ["--from", address, "--to", back.path, "--stopped"];
  const facts = [`- ${count} items in SQLite, filed in ${fillSeconds} s`];
  for (const [what, args] of [
    ["To PostgreSQL", there],
    ["Back to SQLite", andBack],
  ] as const) {
    const killed = await holdfast(["move", ...args], killedAt);
    expect(killed.code, killed.lines.join("\n")).toBe("SIGKILL");
    const before = performance.now();
    const finished = await holdfast(["move", ...args]);
    expect(finished.code, finished.lines.join("\n")).toBe(0);
    expect(finished.lines[0]).toBe("The move goes on where it was.");
    facts.push(
      `- ${what}: killed after "${killed.lines.at(-1)}", then finished in ${((performance.now() - before) / 1000).toFixed(0)} s`,
      ...finished.lines
        .slice(1)
        .map(
          (line) =>
            `  - ${line.replace(address, "the database").replace(back.path, "the folder").replace(source.path, "the folder")}`,
        ),
    );
    console.log(facts.join("\n"));
  }
  const verified = await holdfast(["move", ...there, "--verify"]);
  expect(verified.code, verified.lines.join("\n")).toBe(0);
  const [, events = 0] = /Compared (\d+) events/.exec(verified.lines.at(-1) ?? "") ?? [];
  expect(Number(events)).toBeGreaterThan(count / 2);
  const returned = await openStore(storeAddressOf(back.path, ""));
  expect(await returned.check()).toEqual([]);
  returned.close();
  facts.push(`- Afterwards: ${verified.lines.at(-1)} The store that came back has no fault.`);
  keepProof("moved-million", facts);
});

/** In the middle: the command has said four times that it copied 100,000 rows. */
function killedAt(lines: readonly string[]): boolean {
  return lines.filter((line) => line.endsWith("rows.")).length === 4;
}

async function fill(folder: string): Promise<void> {
  const store = await openStore(storeAddressOf(folder, ""));
  for (const items of generatedChunks({ count, from: noon, weeks: 8 }, perBatch))
    for (const batch of batchesOf(items, perBatch, await store.appliedUpTo())) await store.commit(batch);
  await store.makeDurable();
  store.close();
}

interface Ended {
  readonly code: number | NodeJS.Signals;
  readonly lines: readonly string[];
}

/** Runs the built command, and kills it as soon as `isEnough`. */
async function holdfast(
  args: readonly string[],
  isEnough: (lines: readonly string[]) => boolean = () => false,
): Promise<Ended> {
  const child = spawn(process.execPath, [join(root, "bin/holdfast.js"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (isEnough(lines)) child.kill("SIGKILL");
  }
  const [code, signal] = await ended;
  return { code: code ?? signal, lines };
}

async function secondsOf(work: () => Promise<void>): Promise<string> {
  const begun = performance.now();
  await work();
  return ((performance.now() - begun) / 1000).toFixed(0);
}
