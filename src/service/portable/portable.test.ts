import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import { readPortableLine } from "../api/routes/portable-schemas.ts";
import { openReader } from "../open-reader.ts";
import { openService, type Service } from "../open-service.ts";
import { batchesOf, noon } from "../stores/filed-examples.ts";
import { generatedItems } from "../stores/generated-items.contract.ts";
import { openStore } from "../stores/open-store.ts";
import type { PortableLine } from "../stores/portable/lines.ts";
import { answersOf, liveThrough } from "../stores/same-answers.contract.ts";
import { storeAddressOf } from "../stores/store-address.ts";
import type { ImportOutcome } from "./import-lines.ts";
import { portableLimits } from "./limits.ts";
import { openExport } from "./open-export.ts";

const items = generatedItems({ count: 500, from: noon - 14 * 86_400_000, weeks: 2 });

let postgres: TestPostgres;
let root: string;

beforeAll(async () => {
  postgres = await startPostgres();
  root = mkdtempSync(join(tmpdir(), "holdfast-portable-"));
  const store = await openStore(storeAddressOf(join(root, "source"), ""));
  await liveThrough(store, batchesOf(items, 50));
  await store.makeDurable();
  store.close();
}, 120_000);

afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
}, 120_000);

async function exported(folder: string, store = ""): Promise<PortableLine[]> {
  const lines: PortableLine[] = [];
  const source = { dataFolder: join(root, folder), store, project: { id: 1, name: "shop" }, now: () => noon };
  for await (const text of await openExport(source)) {
    const value = JSON.parse(text);
    if (["header", "cursor", "left-out", "end"].includes(value.kind)) continue;
    const read = readPortableLine(value);
    if (read.kind === "wrong") throw new Error(`${read.why} ${text}`);
    lines.push(read.line);
  }
  return lines;
}

/** Nothing judges the imported schedules, whose last runs were long ago. */
function openTarget(folder: string, store = ""): Promise<Service> {
  return openService({ dataFolder: join(root, folder), store, limits: { checkIns: { everyMs: 86_400_000 } } });
}

async function importAll(service: Service, lines: readonly PortableLine[]): Promise<ImportOutcome> {
  let [taken, present, unknown] = [0, 0, 0];
  for (let at = 0; at < lines.length; at += 100) {
    const outcome = await service.importLines(1, lines.slice(at, at + 100), "kim");
    taken += outcome.taken;
    present += outcome.present;
    unknown += outcome.unknown;
  }
  return { taken, present, unknown };
}

/** Questions about traces, logs and what visitors did: an export does not have them. */
const notExported = /: (?:ofTraces|trails|histories|segments|slow|logs|errors|recent|visitors)$/;

/** What the store of a folder answers about the project. */
async function answers(folder: string, address = ""): Promise<Record<string, unknown>> {
  const store = await openStore(storeAddressOf(join(root, folder), address));
  await store.settled();
  const all = await answersOf(store, items);
  store.close();
  return Object.fromEntries(
    Object.entries(all)
      .filter(([question]) => /^(?:wrong$|project 1: )/.test(question) && !notExported.test(question))
      .map(([question, answer]) => [question, withoutImported(answer)]),
  );
}

/** The history of an imported issue says so. */
function withoutImported(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (_, value) =>
    Array.isArray(value) ? value.filter((entry) => entry?.what?.kind !== "imported") : value,
  );
}

describe("a project is the same after its export and import", { timeout: 400_000 }, () => {
  it("from a folder to a folder, also if the lines come twice", async () => {
    const lines = await exported("source");
    const service = await openTarget("target");
    const first = await importAll(service, lines);
    expect(first).toMatchObject({ taken: lines.length, present: 0, unknown: 0 });
    const filed = lines.filter(({ kind }) => kind === "event" || kind === "attachment" || kind === "feedback");
    expect(await importAll(service, lines)).toMatchObject({ present: filed.length, unknown: 0 });
    await service.close();
    expect(await answers("target")).toEqual(await answers("source"));
  });

  it("from a folder to PostgreSQL and back to another folder", async () => {
    const address = await postgres.newDatabase();
    const database = await openTarget("of-database", address);
    await importAll(database, await exported("source"));
    await database.close();
    const wanted = await answers("source");
    expect(await answers("of-database", address)).toEqual(wanted);
    const folder = await openTarget("back");
    await importAll(folder, await exported("of-database", address));
    await folder.close();
    expect(await answers("back")).toEqual(wanted);
  });

  it("a project that has events already takes the others beside them", async () => {
    const lines = await exported("source");
    const service = await openTarget("mixed");
    const issue = lines.find((line) => line.kind === "issue");
    const [own, ...rest] = lines.filter((line) => line.kind === "event" && line.group === issue?.fingerprints[0]);
    if (own?.kind !== "event" || issue === undefined) throw new Error("There is no such event.");
    // The same error was seen here before, as another event, and muted.
    await service.importLines(
      1,
      [
        { ...issue, number: 77 },
        { ...own, id: "d".repeat(32) },
      ],
      "kim",
    );
    const reader = await openReader(join(root, "mixed"), "");
    const before = await reader.issue(1, { number: 77 });
    await service.change(1, [before?.id ?? 0], { kind: "mute", until: { kind: "for-ever" } }, "bo");
    await importAll(service, lines);
    const after = await reader.issue(1, { number: 77 });
    expect(after).toMatchObject({ events: rest.length + 2, state: { kind: "muted", by: "bo" } });
    expect(await reader.check()).toEqual([]);
    reader.close();
    await service.close();
  });

  it("a file that is too large is left out, and a line says so", async () => {
    const limits = { ...portableLimits, attachmentBytes: 1 };
    const source = { dataFolder: join(root, "source"), store: "", project: { id: 1, name: "shop" }, now: () => noon };
    const kinds = new Map<string, number>();
    for await (const text of await openExport({ ...source, limits })) {
      const { kind } = JSON.parse(text) as { kind: string };
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect(kinds.get("left-out")).toBeGreaterThan(0);
    expect(kinds.get("attachment")).toBeUndefined();
  });
});
