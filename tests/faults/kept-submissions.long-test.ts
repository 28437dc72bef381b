import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { keepProof } from "../kit/keep-proof.ts";
import { randomFrom } from "../kit/random-from.ts";
import { hashOf, type Order, sendOrder, type Told } from "./kept-senders.ts";
import { KeptShop, type Noted } from "./kept-shop.ts";

/** A short run for trying it: `HOLDFAST_KEPT_ORDERS=200`. */
const long = process.env.HOLDFAST_KEPT_ORDERS === undefined;
/** Set to repeat a failed run. */
const seed = Number(process.env.HOLDFAST_FUZZ_SEED ?? Math.floor(Math.random() * 1_000_000_000));
const orders = Number(process.env.HOLDFAST_KEPT_ORDERS ?? 10_000);
/** In a short run each fault occurs once, and the operator comes only at the end. */
const ordersPerFault = long ? 150 : 36;
const atOnce = 16;
/** Part of all that is sent, and of nothing else. */
const secret = `plain-${randomBytes(8).toString("hex")}`;
/** A process that has said nothing for so long counts as dead. */
const leaseMs = 30_000;

const faultKinds = ["worker killed", "disk full", "server killed", "operator killed", "deploy", "operator"] as const;
type FaultKind = (typeof faultKinds)[number];
type Faults = Record<FaultKind, number>;

/**
 * What is promised, in these words. An order has run when its handler has written its line. The framework begins a
 * handler at most once by itself. One that was killed in the handler may have run, so it is kept as one that may have
 * been done: an operator looks into the orders, and runs it or forgets it.
 */
test(
  `${orders} submissions through kills, a full disk, cut connections and deploys: none is lost, none runs twice`,
  async () => {
    console.log(`kept submissions with seed ${seed}; repeat with HOLDFAST_FUZZ_SEED`);
    const began = performance.now();
    const all = Array.from({ length: orders }, (_, number) => orderOf(number));
    await using shop = await KeptShop.open();
    const { told, faults } = await sendThroughFaults(shop, all);
    const returned = await endOfLeases(shop, all, told);
    const beforeOperator = shop.noted();
    const waiting = await waitingOf(shop);
    expect(shop.keptFiles().length, "or the next line proves nothing").toBeGreaterThan(0);
    expect(shop.filesWith(secret), "files in which something can be read without the key").toEqual([]);
    shop.mend();
    const operator = await runAllKept(shop, waiting);
    const noted = shop.noted();
    await shop.stop();

    const facts = factsOf({ all, told, noted, beforeOperator, faults, operator, returned, began });
    console.log(facts.join("\n"));
    keepProof("kept-submissions", facts, seed);
    expect(complaintsOf({ all, told, noted })).toEqual([]);
    expect(await shop.kept(["list"])).toBe("Nothing is kept.\n");
    expect(shop.keptFiles()).toEqual([]);
    expect(faultKinds.filter((kind) => kind !== "operator" && faults[kind] === 0)).toEqual([]);
  },
  long ? 3_600_000 : 180_000,
);

function orderOf(number: number): Order {
  const random = randomFrom(seed + number * 7_919);
  const chance = random();
  const cutChance = random();
  return {
    number,
    key: `kept-order-${seed}-${number}`,
    how: chance < 0.06 ? "throws" : chance < 0.07 ? "late" : "succeeds",
    before: Math.floor(random() * 120),
    after: Math.floor(random() * 120),
    text: `${secret}-text-${number}`,
    file: random() < 0.1 ? `${secret}-file-${"x".repeat(Math.floor(random() * 20_000))}` : undefined,
    cut:
      cutChance < 0.05
        ? { during: "posting", share: random() }
        : cutChance < 0.15
          ? { during: "answering", ms: Math.floor(random() * 100) }
          : undefined,
    isDoubled: random() < 0.05,
    leaves: random() < 0.5,
  };
}

/** Sends all orders, some at a time, while one thing after the other happens to the server. */
async function sendThroughFaults(shop: KeptShop, all: readonly Order[]): Promise<{ told: Told[]; faults: Faults }> {
  const told: Told[] = [];
  let nextNumber = 0;
  const send = async (): Promise<void> => {
    for (let order = all[nextNumber++]; order; order = all[nextNumber++])
      told[order.number] = await sendOrder(shop.url, order);
  };
  const random = randomFrom(seed);
  const faults = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Faults;
  const disturb = async (): Promise<void> => {
    let round = 0;
    for (let after = ordersPerFault / 2; after < all.length; after += ordersPerFault) {
      while (nextNumber < after) await wait(5);
      await wait(random() * 100);
      const kind = faultKinds[round++ % faultKinds.length] ?? "deploy";
      await happen(shop, kind, random);
      faults[kind] += 1;
    }
  };
  await Promise.all([disturb(), ...Array.from({ length: atOnce }, send)]);
  return { told, faults };
}

async function happen(shop: KeptShop, kind: FaultKind, random: () => number): Promise<void> {
  switch (kind) {
    case "worker killed":
      return shop.killWorker(random());
    case "server killed":
      await shop.kill();
      // At once: the next start removes uploads.
      expect(shop.filesWith(secret), "files in which something can be read").toEqual([]);
      return shop.start();
    case "deploy":
      return shop.deploy();
    case "disk full": {
      const free = shop.fillDisk();
      await wait(300 + random() * 700);
      return free();
    }
    case "operator":
      // Beside visitors whose copies come and go.
      return expect(await shop.kept(["run", "--all"])).toMatch(/^(?:Nothing waits|(?:\w{4}-\w{4}-\w{4} {2}.*\n)+)/);
    case "operator killed":
      return void (await shop.kept(["run", "--all"], 300 + random() * 1_500));
  }
}

/**
 * Kills the server once more, and starts it when every lease is over. In a long run, visitors who had left come back
 * then, and send the same once more.
 */
async function endOfLeases(shop: KeptShop, all: readonly Order[], told: Told[]): Promise<number> {
  await shop.kill();
  if (long) await wait(leaseMs + 1_000);
  else shop.letLeasesEnd();
  await shop.start();
  if (!long) return 0;
  const returning = all.filter(({ number }) => told[number]?.kind === "nothing");
  const left = [...returning];
  const send = async (): Promise<void> => {
    for (let order = left.pop(); order; order = left.pop())
      told[order.number] = await sendOrder(shop.url, { ...order, cut: undefined, leaves: false });
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  return returning.length;
}

/** A line of `holdfast kept list`, with the number that `show` says. */
interface Waiting {
  code: string;
  mayBeDone: boolean;
  number: number;
}

async function waitingOf(shop: KeptShop): Promise<Waiting[]> {
  const codes = (await shop.kept(["list"])).split("\n").filter((line) => /^\w{4}-\w{4}-\w{4} /.test(line));
  if (codes.length === 0) return [];
  const shown = await shop.kept(["show", ...codes.map((line) => line.slice(0, 14))]);
  return shown.split(/^(?=\w{4}-\w{4}-\w{4} )/m).map((one) => ({
    code: one.slice(0, 14),
    mayBeDone: one.includes("  may have been done"),
    number: Number(/^ {2}number: (\d+)$/m.exec(one)?.[1]),
  }));
}

interface Operated {
  ran: number;
  ranAfterALook: number;
  forgottenAfterALook: number;
}

/** As an operator does it after the fix: those that failed at once, the others after a look into the orders. */
async function runAllKept(shop: KeptShop, waiting: readonly Waiting[]): Promise<Operated> {
  const noted = shop.noted();
  const isPlaced = ({ number }: Waiting): boolean => (noted.get(number)?.ordered.length ?? 0) > 0;
  const unsure = waiting.filter(({ mayBeDone }) => mayBeDone);
  const toRun = unsure.filter((one) => !isPlaced(one)).map(({ code }) => code);
  const toForget = unsure.filter(isPlaced).map(({ code }) => code);
  await shop.kept(["run", "--all"]);
  if (toRun.length > 0) await shop.kept(["run", "--even-if-done", ...toRun]);
  if (toForget.length > 0) await shop.kept(["forget", ...toForget]);
  return {
    ran: waiting.length - unsure.length,
    ranAfterALook: toRun.length,
    forgottenAfterALook: toForget.length,
  };
}

interface Result {
  all: readonly Order[];
  told: readonly Told[];
  noted: ReadonlyMap<number, Noted>;
}

const nothingNoted: Noted = { byVisit: 0, later: 0, ordered: [] };

/** One line for each order that was lost, ran twice, was changed, or about which its visitor was told a lie. */
function complaintsOf({ all, told, noted }: Result): string[] {
  return all.flatMap((order) => {
    const { number } = order;
    const { byVisit, later, ordered } = noted.get(number) ?? nothingNoted;
    const { kind = "nothing" } = told[number] ?? {};
    const wasAccepted = kind === "done" || kind === "kept" || byVisit > 0;
    const what = [
      byVisit > 1 && "was begun twice by itself",
      ordered.length > 1 && "ran twice",
      wasAccepted && ordered.length === 0 && "was lost",
      // One that threw was done by an operator, and its visitor who sends it again gets that outcome.
      kind === "done" && later > 0 && order.how !== "throws" && "was done and run again",
      kind === "refused" && byVisit + later > 0 && "was refused and yet begun",
      ordered.some((hash) => hash !== hashOf(order)) && "was changed",
    ].filter((one) => one !== false);
    return what.map((one) => `${number} (${order.how}, told ${kind}, begun ${byVisit}, later ${later}) ${one}`);
  });
}

interface Facts extends Result {
  beforeOperator: ReadonlyMap<number, Noted>;
  faults: Faults;
  operator: Operated;
  returned: number;
  began: number;
}

function factsOf({ all, told, noted, beforeOperator, faults, operator, returned, began }: Facts): string[] {
  const toldTimes = (kind: Told["kind"]): number => told.filter((one) => one.kind === kind).length;
  const ordersWith = (fits: (one: Noted) => boolean, of = noted): number => [...of.values()].filter(fits).length;
  const count = (fits: (order: Order) => boolean): number => all.filter(fits).length;
  const complaints = complaintsOf({ all, told, noted });
  const complained = (words: RegExp): number => complaints.filter((one) => words.test(one)).length;
  return [
    `- Submissions: ${all.length}, ${atOnce} at a time, to a server with two workers`,
    `- What happened meanwhile: ${faultKinds.map((kind) => `${kind} ${faults[kind]} times`).join(", ")}`,
    `- Connections cut while posting: ${count(({ cut }) => cut?.during === "posting")}, while answering: ${count(({ cut }) => cut?.during === "answering")}; sent twice at once: ${count(({ isDoubled }) => isDoubled)}`,
    `- Handlers that threw: ${count(({ how }) => how === "throws")}, that took longer than their time: ${count(({ how }) => how === "late")}`,
    `- Visitors who came back after everything and sent the same again: ${returned}`,
    `- Visitors read in the end: done ${toldTimes("done")}, kept ${toldTimes("kept")}, refused ${toldTimes("refused")}; no answer ${toldTimes("nothing")}`,
    `- Begun by a visitor's request: ${ordersWith(({ byVisit }) => byVisit > 0)}; of these cut in the handler before they were placed, or thrown: ${ordersWith(({ byVisit, ordered }) => byVisit > 0 && ordered.length === 0, beforeOperator)}`,
    `- Run at the end with \`holdfast kept run --all\`: ${operator.ran}; run with \`--even-if-done\` after a look into the orders: ${operator.ranAfterALook}; forgotten after that look, because the order was there: ${operator.forgottenAfterALook}`,
    `- Placed exactly once: ${ordersWith(({ ordered }) => ordered.length === 1)}`,
    `- Lost: ${complained(/was lost/)}. Placed twice: ${complained(/ran twice/)}. Begun twice by itself: ${complained(/begun twice/)}. Changed: ${complained(/changed/)}`,
    "- Files of the data folder in which something that was sent can be read without the key, at the end and after each kill of the server: 0",
    `- Duration: ${Math.round((performance.now() - began) / 1_000)} s`,
    "",
    "An order counts as placed when its handler has written its line, synced, to a file that the framework does not",
    "know. The framework begins a handler at most once by itself. One whose process was killed in the handler may or may",
    "not have been placed: it is kept as one that may have been done, and is never run again by itself. An operator looks",
    "into the orders, and runs it or forgets it; a unique column for `key` makes that look unnecessary.",
    "Orders without an answer and without a run did not arrive, or arrived in part.",
  ];
}
