import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openDatabase } from "../accounts/open-database.ts";
import { SavedSearches, searchesFile } from "../administration/saved-searches.ts";
import { backupCommand } from "../commands/backup-command.ts";
import { restoreCommand } from "../commands/restore-command.ts";
import { fileDocument } from "../documents/document.ts";
import { ErasureReports } from "../erasures/erasure-reports.ts";
import { intakeFiguresOf, intakeFile } from "../intake/intake-figures.ts";
import { openReader } from "../open-reader.ts";
import { openService, type Service } from "../open-service.ts";
import { Projects } from "../projects.ts";
import { matchesNothing } from "../stores/erase/erasure.ts";

describe("a backup", { timeout: 30_000 }, () => {
  let folder: string;
  let data: string;
  let file: string;
  let service: Service;
  const eventId = newEventId();

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-backup-"));
    data = join(folder, "data");
    file = join(folder, "today.tar");
    service = await openService({ dataFolder: data });
    await openDatabase(data).close();
    await service.accept(1, anEvent(eventId));
    await service.drained();
    await run(backupCommand, file, "--data", data);
  }, 30_000);

  afterEach(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  it("is one file, made while the service runs, that any tar reads and only its owner", () => {
    expect(readdirSync(folder).sort()).toEqual(["data", "today.tar"]);
    expect(statSync(file).mode & 0o077).toBe(0);
    const { stdout } = spawnSync("tar", ["tf", file], { encoding: "utf8" });
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^store\/events-.*\.db$/),
      "store/meta.db",
      "accounts.db",
      "projects.json",
      "checksums.json",
    ]);
  });

  it("is not begun where no file can be written", async () => {
    await expect(run(backupCommand, join(folder, "nowhere", "today.tar"), "--data", data)).rejects.toThrow(
      "[backup-not-writable]",
    );
  });

  it("is restored to a data folder with the same events, keys and accounts, in which a service runs", async () => {
    const restored = join(folder, "restored");
    await run(restoreCommand, file, "--data", restored);
    expect((await Projects.open(restored)).all).toEqual(service.projects.all);
    expect(existsSync(join(restored, "accounts.db"))).toBe(true);
    const second = await openService({ dataFolder: restored });
    const later = newEventId();
    await second.accept(1, anEvent(later));
    await second.close();
    const store = await openReader(restored);
    expect([(await store.event(1, eventId))?.body.kind, (await store.event(1, later))?.body.kind]).toEqual([
      "whole",
      "whole",
    ]);
    expect(await store.check()).toEqual([]);
    store.close();
  });

  it("has saved searches, figures of keys and filters, and erasures that have not ended", async () => {
    const searches = new SavedSearches(fileDocument(join(data, searchesFile)));
    await searches.save({ project: 1, owner: undefined, screen: "logs", name: "Failed orders", search: "q=order" });
    const known = { hasKey: () => true, hasFilter: () => true, hasProject: () => true };
    const keys = new Map([["key", { usedAt: 7, refused: 3 }]]);
    const changes = { keys, filters: new Map(), spikes: new Map() };
    await intakeFiguresOf(fileDocument(join(data, intakeFile))).add(changes, known, 7);
    const asked = { project: 1, what: "visitor", by: "ada", askedAt: 7, match: matchesNothing } as const;
    const { id } = new ErasureReports(data).ask(asked);
    writeFileSync(join(data, "erasures", `${id}.json.0a1b2c.new`), "{");
    const [later, restored] = [join(folder, "later.tar"), join(folder, "restored")];
    await run(backupCommand, later, "--data", data);
    await run(restoreCommand, later, "--data", restored);
    expect(new SavedSearches(fileDocument(join(restored, searchesFile))).of(1, "ada")).toMatchObject([
      { name: "Failed orders", search: "q=order" },
    ]);
    expect(intakeFiguresOf(fileDocument(join(restored, intakeFile))).ofKeys(["key"])).toEqual([
      { lastUsedAt: 7, refused: 3 },
    ]);
    expect(new ErasureReports(restored).waiting()).toMatchObject([{ id, match: matchesNothing }]);
  });

  it("overwrites nothing, neither when written nor when restored", async () => {
    await expect(run(backupCommand, file, "--data", data)).rejects.toThrow("[backup-exists]");
    await expect(run(restoreCommand, file, "--data", data)).rejects.toThrow("[service-folder-not-empty]");
  });

  it("a backup that was cut off, changed or forged is refused, and leaves nothing behind", async () => {
    const whole = readFileSync(file);
    const restored = join(folder, "restored");
    const flipped = Buffer.from(whole);
    flipped[20_000] = (flipped[20_000] ?? 0) ^ 1;
    const damages = [
      whole.subarray(0, whole.length - 4_096),
      whole.subarray(0, 100_000),
      flipped,
      Buffer.from("no tar at all"),
      withOtherName(Buffer.from(whole), "../../evil.db"),
    ];
    for (const bytes of damages) {
      writeFileSync(file, bytes);
      await expect(run(restoreCommand, file, "--data", restored)).rejects.toThrow("[service-backup-unusable]");
    }
    expect(readdirSync(folder).sort()).toEqual(["data", "today.tar"]);
  });
});

/** Renames the first entry and corrects its checksum. */
function withOtherName(tar: Buffer, name: string): Buffer {
  tar.fill(0, 0, 100);
  tar.write(name, 0, "utf8");
  tar.fill(" ", 148, 156);
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return tar;
}

async function run(command: typeof backupCommand, ...args: string[]): Promise<void> {
  expect(await command.run(args, { print: () => undefined, warn: () => undefined })).toBe(0);
}

function anEvent(eventId: string): Uint8Array {
  const event = { event_id: eventId, exception: { values: [{ type: "Error", value: "boom" }] } };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}
