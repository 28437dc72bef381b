import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { textsBelow } from "../../../tests/kit/find-bytes.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { writeBackup } from "../backup/write-backup.ts";
import { eraseCommand } from "../commands/erase-command.ts";
import { openConsoleApi } from "../console-api/console-api.ts";
import { openReader } from "../open-reader.ts";
import { openService, type Service } from "../open-service.ts";
import { hex } from "../stores/filed-examples.ts";
import { ErasureReports } from "./erasure-reports.ts";

const now = (): number => Math.floor(Date.now() / 1_000);

/** Everything that only this visitor has. */
const marks = {
  id: "ada-visitor-4711",
  email: "ada.lovelace@example.org",
  ip: "203.0.113.77",
  word: "Engelberg-Sonderfall",
  customer: "Kundin-Lovelace-GmbH",
  step: "clicked-Adas-Knopf",
  note: "Meine-Rechnung-fehlt",
  line: "Zeile-ueber-Ada",
  span: "SELECT-Adas-Warenkorb",
  file: "Adas-Bildschirmfoto",
};
const markers = Object.values(marks);

function eventOf(name: string, message: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  const user = { id: name, email: `${name}@example.net`, ip_address: "198.51.100.1" };
  const exception = { values: [{ type: "Error", value: message, stacktrace: { frames: [] } }] };
  return { event_id: newEventId(), timestamp: now(), platform: "javascript", user, exception, ...fields };
}

function envelopeOf(event: Record<string, unknown>, ...items: ReturnType<typeof jsonItem>[]): Uint8Array {
  return writeEnvelope({ eventId: String(event.event_id) }, [jsonItem("event", event), ...items]);
}

/** What a visitor leaves: events, a trace, log lines, a file, feedback and a late event of her server. */
async function visit(service: Service): Promise<string> {
  const trace = { trace_id: hex("her trace"), span_id: "a".repeat(16) };
  const user = { id: marks.id, email: marks.email, ip_address: marks.ip };
  const hers = eventOf("", `The cart of ${marks.word} is empty`, {
    user,
    tags: { customer: marks.customer },
    contexts: { trace },
    breadcrumbs: [{ timestamp: now(), message: marks.step }],
  });
  const file = {
    header: { type: "attachment", filename: `${marks.file}.txt` },
    payload: Buffer.from(marks.file.repeat(20)),
  };
  await service.accept(1, writeEnvelope({ eventId: String(hers.event_id) }, [jsonItem("event", hers), file]));
  const feedback = { contact_email: marks.email, message: marks.note, name: "Ada" };
  await service.accept(
    1,
    writeEnvelope({ eventId: newEventId() }, [
      jsonItem("feedback", { event_id: newEventId(), timestamp: now(), contexts: { feedback } }),
    ]),
  );
  const spans = [
    {
      ...trace,
      span_id: "b".repeat(16),
      parent_span_id: trace.span_id,
      description: marks.span,
      start_timestamp: now(),
      timestamp: now() + 1,
      op: "db",
    },
  ];
  const transaction = {
    event_id: newEventId(),
    type: "transaction",
    transaction: "/cart",
    start_timestamp: now(),
    timestamp: now() + 1,
    user,
    contexts: { trace: { ...trace, op: "pageload" } },
    spans,
  };
  await service.accept(1, writeEnvelope({ eventId: transaction.event_id }, [jsonItem("transaction", transaction)]));
  const line = (body: string, more: Record<string, unknown> = {}) => ({
    timestamp: now(),
    level: "info",
    body,
    trace_id: hex("other trace"),
    attributes: {},
    ...more,
  });
  const lines = {
    items: [line(marks.line, { trace_id: trace.trace_id }), line(`mail to ${marks.email}`), line("a line of nobody")],
  };
  await service.accept(1, writeEnvelope({}, [jsonItem("log", lines)]));
  return String(hers.event_id);
}

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
      envelopeOf(eventOf(`other-${n}`, `The cart of ${n} is empty`, { tags: { customer: "Other" } })),
    );
  await service.drained();
}

describe("forgetting", { timeout: 120_000 }, () => {
  it("erasures leave nothing of a visitor in any byte of the data folder, or of the next backup", async () => {
    const folder = newFolder();
    const dataFolder = join(folder, "data");
    const service = await open(dataFolder);
    await fileOthers(service, 0, 5);
    const eventId = await visit(service);
    await service.drained();
    await fileOthers(service, 5, 30);
    mkdirSync(join(dataFolder, "unfiled"), { recursive: true });
    writeFileSync(
      join(dataFolder, "unfiled", "1-99.envelope"),
      `{}\n{"type":"event"}\n{"user":{"id":"${marks.id}"}}\n`,
    );
    const old = join(folder, "old.tar");
    await writeBackup(dataFolder, old);
    // The search is able to find each of them.
    expect(new Set(textsBelow(dataFolder, markers).map((found) => found.split(": ").at(-1)))).toEqual(new Set(markers));

    const api = apiOf(service, dataFolder);
    const subject = { kind: "visitor", identity: marks.email } as const;
    expect(await api.erase.plan(1, subject)).toMatchObject({ events: 1, attachments: 1, traces: 1, logLines: 2 });
    const exported: string[] = [];
    for await (const line of await api.erase.exportVisitor(1, subject, "owner")) exported.push(line);
    const text = exported.join("");
    for (const mark of [marks.id, marks.word, marks.note, marks.line, marks.span]) expect(text).toContain(mark);
    expect(text).not.toContain("other-");
    await api.erase.begin(1, subject, "owner");
    await expect
      .poll(() => api.erase.reports(1), { timeout: 60_000 })
      .toMatchObject([{ state: "done", removed: { events: 1, attachments: 1, traces: 1, logLines: 2, feedback: 1 } }]);
    // Her envelopes stay in the journal until a power loss cannot take what was filed of them.
    await service.close();
    expect(textsBelow(dataFolder, markers)).toEqual([]);
    const next = join(folder, "next.tar");
    await writeBackup(dataFolder, next);
    expect(textsBelow(next, markers)).toEqual([]);
    const audit = readFileSync(join(dataFolder, "audit.jsonl"), "utf8");
    expect(audit).toContain("erased everything of a visitor: 1 event, 1 attachment");

    // Others are untouched, and what she sent before arrives late.
    const again = await open(dataFolder);
    await again.accept(
      1,
      envelopeOf(eventOf("", `late ${marks.word}`, { user: { id: marks.id }, timestamp: now() - 60 })),
    );
    await again.drained();
    const reader = await openReader(dataFolder);
    onTestFinished(() => reader.close());
    expect(await reader.check()).toEqual([]);
    expect(await reader.event(1, eventId)).toBeUndefined();
    await again.close();
    expect(textsBelow(dataFolder, markers)).toEqual([]);

    // An old backup brings her back, until the marks are applied to it.
    const restored = join(folder, "restored");
    await restoreBackup(old, restored);
    const printed: string[] = [];
    const output = { print: (line: string) => void printed.push(line), warn: () => undefined };
    await eraseCommand.run(["--marks", "--data", dataFolder], output);
    expect(printed.join("")).not.toContain("ada");
    writeFileSync(join(folder, "marks.json"), printed.join(""));
    await eraseCommand.run(["--again", join(folder, "marks.json"), "--data", restored], output);
    expect(textsBelow(restored, markers)).toEqual([]);
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
