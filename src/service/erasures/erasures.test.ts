import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { textsBelow } from "../../../tests/kit/find-bytes.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { writeBackup } from "../backup/write-backup.ts";
import { eraseCommand } from "../commands/erase-command.ts";
import { openConsoleApi } from "../console-api/console-api.ts";
import { openReader } from "../open-reader.ts";
import { openService, type Service } from "../open-service.ts";
import { ErasureReports } from "./erasure-reports.ts";
import { allVisitorMarks, eventEnvelope, leaveTraces, reportedEvent, visitorMarks } from "./visitor-examples.ts";

async function open(dataFolder: string): Promise<Service> {
  const service = await openService({ dataFolder });
  onTestFinished(() => service.close());
  return service;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-erasures-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const access = { kind: "open" } as never;

function apiOf(service: Service, dataFolder: string): ReturnType<typeof openConsoleApi> {
  const api = openConsoleApi({ service, dataFolder, access });
  onTestFinished(() => api.close());
  return api;
}

/** Others before and after, in the same groups and blocks. */
async function fileOthers(service: Service, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1)
    await service.accept(
      1,
      eventEnvelope(reportedEvent(`other-${n}`, `The cart of ${n} is empty`, { tags: { customer: "Other" } })),
    );
  await service.drained();
}

describe("forgetting", { timeout: 120_000 }, () => {
  it("erasures leave nothing of a visitor in any byte of the data folder, or of the next backup", async () => {
    const folder = newFolder();
    const dataFolder = join(folder, "data");
    const service = await open(dataFolder);
    await fileOthers(service, 0, 5);
    const eventId = await leaveTraces(service);
    await service.drained();
    await fileOthers(service, 5, 30);
    mkdirSync(join(dataFolder, "unfiled"), { recursive: true });
    writeFileSync(
      join(dataFolder, "unfiled", "1-99.envelope"),
      `{}\n{"type":"event"}\n{"user":{"id":"${visitorMarks.id}"}}\n`,
    );
    const old = join(folder, "old.tar");
    await writeBackup(dataFolder, old);
    // The search is able to find each of them.
    expect(new Set(textsBelow(dataFolder, allVisitorMarks).map((found) => found.split(": ").at(-1)))).toEqual(
      new Set(allVisitorMarks),
    );

    const api = apiOf(service, dataFolder);
    const subject = { kind: "visitor", identity: visitorMarks.email } as const;
    expect(await api.erase.plan(1, subject)).toMatchObject({ events: 1, attachments: 1, traces: 1, logLines: 2 });
    const exported: string[] = [];
    for await (const line of await api.erase.exportVisitor(1, subject, "owner")) exported.push(line);
    const text = exported.join("");
    for (const mark of [visitorMarks.id, visitorMarks.word, visitorMarks.note, visitorMarks.line, visitorMarks.span])
      expect(text).toContain(mark);
    expect(text).not.toContain("other-");
    await api.erase.begin(1, subject, "owner");
    await expect
      .poll(() => api.erase.reports(1), { timeout: 60_000 })
      .toMatchObject([{ state: "done", removed: { events: 1, attachments: 1, traces: 1, logLines: 2, feedback: 1 } }]);
    // Her envelopes stay in the journal until a power loss cannot take what was filed of them.
    await service.close();
    expect(textsBelow(dataFolder, allVisitorMarks)).toEqual([]);
    const next = join(folder, "next.tar");
    await writeBackup(dataFolder, next);
    expect(textsBelow(next, allVisitorMarks)).toEqual([]);
    const audit = readFileSync(join(dataFolder, "audit.jsonl"), "utf8");
    expect(audit).toContain("erased everything of a visitor: 1 event, 1 attachment");

    // Others are untouched, and what she sent before arrives late.
    const again = await open(dataFolder);
    await again.accept(
      1,
      eventEnvelope(
        reportedEvent("", `late ${visitorMarks.word}`, {
          user: { id: visitorMarks.id },
          timestamp: Date.now() / 1_000 - 60,
        }),
      ),
    );
    await again.drained();
    const reader = await openReader(dataFolder);
    onTestFinished(() => reader.close());
    expect(await reader.check()).toEqual([]);
    expect(await reader.event(1, eventId)).toBeUndefined();
    await again.close();
    expect(textsBelow(dataFolder, allVisitorMarks)).toEqual([]);

    // An old backup brings her back, until the visitorMarks are applied to it.
    const restored = join(folder, "restored");
    await restoreBackup(old, restored);
    const printed: string[] = [];
    const output = { print: (line: string) => void printed.push(line), warn: () => undefined };
    await eraseCommand.run(["--marks", "--data", dataFolder], output);
    expect(printed.join("")).not.toContain("ada");
    writeFileSync(join(folder, "marks.json"), printed.join(""));
    await eraseCommand.run(["--again", join(folder, "marks.json"), "--data", restored], output);
    expect(textsBelow(restored, allVisitorMarks)).toEqual([]);
  });

  it("erasures are executed for a command while the service runs, and without one", async () => {
    const dataFolder = newFolder();
    const service = await open(dataFolder);
    await fileOthers(service, 0, 3);
    const printed: string[] = [];
    const output = { print: (line: string) => void printed.push(line), warn: () => undefined };
    const erase = (...args: string[]) => eraseCommand.run([...args, "--data", dataFolder], output);
    await erase("--visitor", "other-0");
    await erase("--visitor", "other-0", "--yes");
    await service.close();
    await erase("--visitor", "other-1", "--yes");
    await erase("--everything", "--yes");
    expect(printed).toEqual([
      "This would remove 1 event. Add --yes to remove it.",
      "Removed 1 event.",
      "Removed 1 event.",
      "Removed 1 event, 1 issue.",
    ]);
    expect(new ErasureReports(dataFolder).waiting()).toEqual([]);
    await expect(erase("--issue", "1", "--everything")).rejects.toThrow("service-command-misused");
  });

  it("an erased project is gone from the list, with its tokens", async () => {
    const dataFolder = newFolder();
    const service = await open(dataFolder);
    const api = apiOf(service, dataFolder);
    const { id } = await api.administration.addProject("shop", "owner");
    const owner = { kind: "project", project: id } as const;
    await service.shared.tokens.create(owner, { name: "ci", scopes: ["read"] }, "owner");
    expect(await service.shared.tokens.list(owner)).toHaveLength(1);
    await api.erase.begin(id, { kind: "project" }, "owner");
    await expect.poll(() => api.projects().some((project) => project.id === id), { timeout: 60_000 }).toBe(false);
    expect(await service.shared.tokens.list(owner)).toEqual([]);
  });

  it("erasures go on after a restart", async () => {
    const dataFolder = newFolder();
    const first = await open(dataFolder);
    await fileOthers(first, 0, 3);
    const api = apiOf(first, dataFolder);
    const closing = first.close();
    await api.erase.begin(1, { kind: "project" }, "owner");
    await closing;
    await open(dataFolder);
    await expect
      .poll(() => api.erase.reports(1), { timeout: 60_000 })
      .toMatchObject([{ state: "done", removed: { events: 3 } }]);
  });
});
