import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type BalanceStatement, readClientReport, readEnvelope, type StatedPage } from "#protocol";
import type { DeliveryResult } from "../delivery.ts";
import { ServerLedger, type ServerLedgerOptions } from "./ledger.ts";
import { ledgerLimits } from "./ledger-limits.ts";

let folder: string;
const open: ServerLedger[] = [];

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
function openLedger(options: Partial<ServerLedgerOptions> & { answer?: () => DeliveryResult } = {}): {
  ledger: ServerLedger;
  said: BalanceStatement[];
} {
  const { answer = () => ({ kind: "taken" }), ...others } = options;
  const said: BalanceStatement[] = [];
  const ledger = new ServerLedger({
    folder,
    limits: { ...ledgerLimits, everyMs: 86_400_000, countsMs: 0 },
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
  nowMs += ledgerLimits.waitingMs - 1;
  await ledger.deliver();
  expect(said).toHaveLength(1);
  nowMs += 1;
  await ledger.deliver();
  expect(said.map(({ waitingSinceMs }) => waitingSinceMs)).toEqual([page.atMs - 1_000, page.atMs - 1_000]);
});

it("holds a limited number of entries", async () => {
  const { ledger, said } = openLedger({
    limits: { ...ledgerLimits, everyMs: 86_400_000, countsMs: 0, pages: 1 },
  });
  await ledger.add([page, other]);
  await ledger.deliver();
  expect(said.map(({ pages }) => pages)).toEqual([[page]]);
});

const order = { route: "/orders", action: "order", key: "key-1" };
const hour = Math.floor((page.atMs + 5_000) / 3_600_000);

/** The file as a killed process leaves it: no process has this name. */
function leaveBehind(): void {
  const [file = ""] = readdirSync(folder);
  renameSync(join(folder, file), join(folder, "4194305-1.ledger"));
}

it("counts submissions by their end, and delivers all that was counted in an hour each time", async () => {
  const { ledger, said } = openLedger();
  ledger.take(order).ended("done");
  const failing = ledger.take(order);
  failing.ended("failed");
  failing.ended("done");
  await ledger.deliver();
  ledger.take(order).ended("done");
  await ledger.deliver();
  await ledger.deliver();
  const tally = { book: "submissions", hour, open: [] };
  expect(said.map(({ tallies }) => tallies)).toEqual([
    [{ ...tally, ends: { done: 1, failed: 1 } }],
    [{ ...tally, ends: { done: 2, failed: 1 } }],
  ]);
});

it("a submission whose process was killed is named by the next process, and one that is kept has an end", async () => {
  const killed = openLedger();
  killed.ledger.take(order).ended("done");
  await killed.ledger.deliver();
  killed.ledger.take({ ...order, action: "cancel" });
  killed.ledger.take(order).kept();
  leaveBehind();
  const { ledger, said } = openLedger();
  await ledger.deliver();
  expect(said).toEqual([
    {
      source: killed.said[0]?.source,
      pages: [],
      tallies: [
        {
          book: "submissions",
          hour,
          ends: { done: 1, kept: 1 },
          open: [
            {
              id: expect.any(String),
              atMs: page.atMs + 5_000,
              route: "/orders",
              name: "cancel",
              key: "key-1",
              state: "lost",
            },
          ],
        },
      ],
    },
  ]);
  await ledger.deliver();
  expect(said).toHaveLength(1);
});

it("what a killed process has left survives a second kill, and is delivered when the service is back", async () => {
  const away = { answer: (): DeliveryResult => ({ kind: "later", why: "The service is away." }) };
  const first = openLedger(away);
  await first.ledger.add([page]);
  first.ledger.take(order);
  leaveBehind();
  const second = openLedger(away);
  await second.ledger.deliver();
  leaveBehind();
  const { ledger, said } = openLedger();
  await ledger.deliver();
  expect(said.flatMap(({ pages }) => pages)).toEqual([page]);
  expect(said.flatMap(({ tallies = [] }) => tallies.flatMap(({ open: lost }) => lost))).toMatchObject([
    { name: "order", state: "lost" },
  ]);
});

it("an action that runs for long is stated as open, once a minute, until it ends", async () => {
  let nowMs = page.atMs;
  const { ledger, said } = openLedger({ now: () => nowMs });
  const running = ledger.take(order);
  await ledger.deliver();
  expect(said).toEqual([]);
  for (let minutes = 1; minutes <= 2; minutes++) {
    nowMs += ledgerLimits.waitingMs + 1;
    await ledger.deliver();
    await ledger.deliver();
  }
  running.ended("done");
  await ledger.deliver();
  expect(said.map(({ tallies = [] }) => tallies.map(({ ends, open: { length } }) => ({ ends, length })))).toEqual([
    [{ ends: {}, length: 1 }],
    [],
    [{ ends: { done: 1 }, length: 0 }],
  ]);
});

it("more submissions at once than it can name are counted when they end", async () => {
  const limits = { ...ledgerLimits, everyMs: 86_400_000, countsMs: 0, open: 1 };
  const killed = openLedger({ limits });
  const [, unnamed] = [killed.ledger.take(order), killed.ledger.take(order)];
  unnamed.ended("invalid");
  await killed.ledger.deliver();
  expect(killed.said[0]?.tallies).toMatchObject([{ ends: { invalid: 1 }, open: [] }]);
  leaveBehind();
  const { ledger, said } = openLedger();
  await ledger.deliver();
  expect(said[0]?.tallies).toMatchObject([{ ends: { invalid: 1 }, open: [{ state: "lost" }] }]);
});

it("navigations that browsers have counted are added up, and one without an end survives a kill", async () => {
  const killed = openLedger();
  const dead = { id: "a", atMs: page.atMs - 7_200_000, route: "/cart", name: "/checkout" };
  killed.ledger.count({ ends: { committed: 3 }, open: [] });
  killed.ledger.count({ ends: { committed: 2, left: 1 }, open: [dead] });
  leaveBehind();
  const { ledger, said } = openLedger();
  await ledger.deliver();
  const open = [{ ...dead, state: "lost" }];
  // In the hour in which it was said: the one before may be delivered and forgotten.
  expect(said.map(({ tallies }) => tallies)).toEqual([
    [{ book: "navigations", hour, ends: { committed: 5, left: 1 }, open }],
  ]);
});
