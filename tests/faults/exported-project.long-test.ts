import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { openReader } from "../../src/service/open-reader.ts";
import { openService } from "../../src/service/open-service.ts";
import { batchesOf, noon } from "../../src/service/stores/filed-examples.ts";
import { readFilter } from "../../src/service/stores/filter-language.ts";
import { generatedChunks } from "../../src/service/stores/generated-items.contract.ts";
import { openStore } from "../../src/service/stores/open-store.ts";
import type { IssueRecord } from "../../src/service/stores/records.ts";
import type { StoreReader } from "../../src/service/stores/store.ts";
import { storeAddressOf } from "../../src/service/stores/store-address.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { startPostgres } from "../kit/postgres.ts";
import { dataFolder } from "./running-service.ts";

/** Half of them are events of project 1, so that there are more than 100,000. */
const count = Number(process.env.HOLDFAST_TEST_ITEMS ?? 195_000);
const perBatch = 1_000;
const weeks = 8;
const from = noon - weeks * 7 * 86_400_000;
/** One of so many events is compared whole. */
const bodyEvery = 50;

test("a project of 100,000 events is exported and imported, with kills", { timeout: 7_200_000 }, async () => {
  await using postgres = await startPostgres({ synchronous_commit: "on" });
  const address = await postgres.newDatabase();
  using source = dataFolder();
  using folder = dataFolder();
  using ofDatabase = dataFolder();
  await fill(source.path);
  const file = join(source.path, "project.ndjson.gz");
  const facts: string[] = [];
  const step = async (what: string, args: readonly string[], store = ""): Promise<void> => {
    const killed = await holdfast(args, store, ({ length }) => length === 1);
    expect(killed.code, killed.lines.join("\n")).toBe("SIGKILL");
    const begun = performance.now();
    const finished = await holdfast(args, store);
    expect(finished.code, finished.lines.join("\n")).toBe(0);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    const last = finished.lines.at(-1)?.replace(file, "the file");
    facts.push(`- ${what}: killed after "${killed.lines.at(-1)}", then finished in ${seconds} s: ${last}`);
    console.log(facts.join("\n"));
  };
  await step("Export from SQLite", ["export", file, "--data", source.path]);
  facts.push(`- The file has ${(statSync(file).size / 1_048_576).toFixed(0)} MiB.`);
  await step("Import into SQLite", ["import", file, "--data", folder.path]);
  await step("Import into PostgreSQL", ["import", file, "--data", ofDatabase.path], address);
  const wanted = await openReader(source.path, "");
  for (const [where, path, store] of [
    ["SQLite", folder.path, ""],
    ["PostgreSQL", ofDatabase.path, address],
  ] as const) {
    const imported = await openReader(path, store);
    const compared = await compare(wanted, imported);
    expect(compared.events).toBeGreaterThan(count / 2);
    expect(compared.differences, where).toEqual([]);
    expect(await imported.check("bodies")).toEqual([]);
    imported.close();
    facts.push(
      `- In ${where}: ${compared.events} events with the same ids and digests, ${compared.bodies} of them opened, ` +
        `${compared.issues} issues with the same number, state, counts, history and days. No difference, no fault.`,
    );
  }
  wanted.close();
  keepProof("exported-project", facts);
});

async function fill(folder: string): Promise<void> {
  const store = await openStore(storeAddressOf(folder, ""));
  for (const items of generatedChunks({ count, from, weeks }, perBatch))
    for (const batch of batchesOf(items, perBatch, await store.appliedUpTo())) await store.commit(batch);
  const { issues } = await store.issues({ project: 1, filter: readFilter(""), sort: "events", limit: 200 });
  const ids = issues.map(({ id }) => id);
  const change = { project: 1, by: "kim", at: noon } as const;
  await store.change({ ...change, issues: ids.slice(0, 50), change: { kind: "resolve", in: "now" } });
  await store.change({ ...change, issues: ids.slice(50, 80), change: { kind: "assign", to: "ada" } });
  await store.change({ ...change, issues: ids.slice(80, 90), change: { kind: "comment", text: "Seen." } });
  await store.change({ ...change, issues: ids.slice(90, 95), change: { kind: "merge", into: ids[95] ?? 0 } });
  await store.makeDurable();
  store.close();
  // Makes the project.
  await (await openService({ dataFolder: folder, store: "" })).close();
}

interface Comparison {
  readonly events: number;
  readonly bodies: number;
  readonly issues: number;
  readonly differences: readonly string[];
}

/** Goes through all issues of both by their numbers, and through all events of each issue. */
async function compare(wanted: StoreReader, imported: StoreReader): Promise<Comparison> {
  const differences: string[] = [];
  let [events, bodies] = [0, 0];
  const numbersOf = async (store: StoreReader): Promise<Map<number, IssueRecord>> => {
    const all = await store.issues({ project: 1, filter: readFilter(""), sort: "first-seen", limit: 100_000 });
    return new Map(all.issues.map((issue) => [issue.number, issue]));
  };
  const [here, there] = [await numbersOf(wanted), await numbersOf(imported)];
  if (here.size !== there.size) differences.push(`${here.size} issues, and ${there.size}`);
  for (const [number, issue] of here) {
    const copy = there.get(number);
    const [one, other] = [await factsOf(wanted, issue), copy && (await factsOf(imported, copy))];
    if (!isDeepStrictEqual(one.facts, other?.facts)) differences.push(`issue ${number}`);
    if (!isDeepStrictEqual(one.ids, other?.ids)) differences.push(`events of issue ${number}`);
    for (const id of one.ids) {
      events += 1;
      if (events % bodyEvery !== 0) continue;
      bodies += 1;
      const [body, copied] = [await wanted.event(1, id), await imported.event(1, id.slice(0, 15))];
      if (!isDeepStrictEqual(body?.body, copied?.body)) differences.push(`event ${id}`);
    }
  }
  return { events, bodies, issues: here.size, differences: differences.slice(0, 20) };
}

async function factsOf(store: StoreReader, issue: IssueRecord): Promise<{ facts: unknown; ids: readonly string[] }> {
  const { id, mergedInto: _, ...record } = issue;
  const history = (await store.history(1, id)).map(({ at, by, what }) => [at, by, what.kind]);
  const days = (await store.series({ project: 1, issues: [id], step: "day", from: 0, to: noon * 2 })).get(id);
  const rows = await store.eventsOf(1, id, { limit: 1_000_000 });
  const summaries = rows
    .map(({ rowId: _row, issue: _issue, ...row }) => row)
    .sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  const tags = (await store.tagsOf(1, id)).map(({ key, value, n }) => `${key} ${value} ${n}`).sort();
  return {
    facts: {
      ...{ record, days, tags, summaries },
      history: history.filter(([, , kind]) => kind !== "imported"),
    },
    ids: summaries.map(({ eventId }) => eventId),
  };
}

interface Ended {
  readonly code: number | NodeJS.Signals;
  readonly lines: readonly string[];
}

/** Runs the built command, and kills it as soon as `isEnough`. */
async function holdfast(
  args: readonly string[],
  store: string,
  isEnough: (lines: readonly string[]) => boolean = () => false,
): Promise<Ended> {
  const child = spawn(process.execPath, [join(root, "bin/holdfast.js"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, HOLDFAST_STORE: store },
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
