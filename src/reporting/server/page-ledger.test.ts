import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type BalanceStatement, readClientReport, readEnvelope, type StatedPage } from "#protocol";
import type { DeliveryResult } from "../delivery.ts";
import { reportingLimits } from "../limits.ts";
import { PageLedger, type PageLedgerOptions } from "./page-ledger.ts";

let folder: string;
const open: PageLedger[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-ledger-"));
});

afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close();
  rmSync(folder, { recursive: true });
});

const page: StatedPage = { digest: "7K2M-9QXD-4TBA", atMs: 1_700_000_000_000, route: "/orders", side: "server" };
const other: StatedPage = { ...page, digest: "0K2M-9QXD-4TBA" };

/** The timer never runs: the test says when to deliver. */
function openLedger(options: Partial<PageLedgerOptions> & { answer?: () => DeliveryResult } = {}): {
  ledger: PageLedger;
  said: BalanceStatement[];
} {
  const { answer = () => ({ kind: "taken" }), ...others } = options;
  const said: BalanceStatement[] = [];
  const ledger = new PageLedger({
    folder,
    limits: { ...reportingLimits, ledgerMs: 86_400_000 },
    waitingSince: () => undefined,
    now: () => page.atMs + 5_000,
    deliver: async (envelope) => {
      const result = answer();
      if (result.kind === "taken") said.push(statementIn(envelope));
      return result;
    },
    ...others,
  });
  open.push(ledger);
  return { ledger, said };
}

function statementIn(envelope: Uint8Array): BalanceStatement {
  const reading = readEnvelope(envelope);
  const [item] = reading.kind === "read" ? reading.envelope.items : [];
  const report = readClientReport(JSON.parse(new TextDecoder().decode(item?.payload)));
  if (item?.header.type !== "client_report" || report.kind !== "read" || report.value.balance === undefined)
    throw new Error("This is no statement in a client report.");
  return report.value.balance;
}

it("an entry is delivered once, and its file is gone then", async () => {
  const { ledger, said } = openLedger();
  await ledger.add([page]);
  expect(readdirSync(folder)).toHaveLength(1);
  await ledger.deliver();
  await ledger.deliver();
  expect(said.map(({ pages }) => pages)).toEqual([[page]]);
  expect(readdirSync(folder)).toEqual([]);
});

it("the entries of a killed process are delivered by the next one, also if the last line is cut", async () => {
  const away = openLedger({ answer: () => ({ kind: "later", why: "The service is away." }) });
  await away.ledger.add([page]);
  await away.ledger.add([other]);
  await away.ledger.deliver();
  // No process has this name.
  const [file = ""] = readdirSync(folder);
  renameSync(join(folder, file), join(folder, "4194305-1.ledger"));
  const { ledger, said } = openLedger();
  await ledger.deliver();
  expect(said.map(({ pages }) => pages)).toEqual([[page, other]]);
  expect(readdirSync(folder)).toEqual([]);
});

it("what a browser adds to an entry is delivered with it", async () => {
  const { ledger, said } = openLedger();
  await ledger.add([page]);
  await ledger.add([{ ...page, side: "browser", next: "through" }]);
  await ledger.deliver();
  expect(said[0]?.pages).toEqual([{ ...page, side: "browser", next: "through" }]);
});

it("while reports wait in the outbox, the ledger says so once a minute", async () => {
  let nowMs = page.atMs;
  const { ledger, said } = openLedger({ waitingSince: () => page.atMs - 1_000, now: () => nowMs });
  await ledger.deliver();
  nowMs += reportingLimits.ledgerWaitingMs - 1;
  await ledger.deliver();
  expect(said).toHaveLength(1);
  nowMs += 1;
  await ledger.deliver();
  expect(said.map(({ waitingSinceMs }) => waitingSinceMs)).toEqual([page.atMs - 1_000, page.atMs - 1_000]);
});

it("holds a limited number of entries", async () => {
  const { ledger, said } = openLedger({ limits: { ...reportingLimits, ledgerMs: 86_400_000, ledgerPages: 1 } });
  await ledger.add([page, other]);
  await ledger.deliver();
  expect(said.map(({ pages }) => pages)).toEqual([[page]]);
});
