import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { SubmissionMemory, type SubmissionStore } from "#pages";
import { openSubmissionDb } from "./submission-db.ts";

/**
 * One submission in all orders of its possible events: requests on two processes, duplicate and late ones, queries that
 * cancel, ends, a process that dies, time. The memory is the real one on a real file; its row is part of the world's
 * state.
 */
const attempts = 3;
const leaseMs = 30_000;

type Process = "first" | "second";

interface World {
  row: unknown;
  /** Advances by more than a lease. */
  ticks: number;
  /** Running attempts, and their process. */
  running: readonly { attempt: number; on: Process }[];
  /** How often each attempt has run. */
  ran: Readonly<Record<number, number>>;
  dead: readonly Process[];
  /**
   * The highest attempt that the visitor has allowed. A person raises it after the page reports that it failed or may
   * not have run.
   */
  allowed: number;
  /** Attempts whose sender was answered that they had not arrived. */
  denied: readonly number[];
  isDone: boolean;
}

type Plant = (store: SubmissionStore) => SubmissionStore;

/** Returns the violation in some order of at most so many events; undefined if there is none. */
async function explore(
  depth: number,
  plant: Plant = (store) => store,
): Promise<{ complaints: Set<string>; states: number }> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-model-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "submissions.db");
  let ticks = 0;
  const open = () => {
    const store = openSubmissionDb(file);
    onTestFinished(() => store.close());
    return new SubmissionMemory({
      store: plant(store),
      reach: "shared",
      sealKey: new Uint8Array(32),
      now: () => 1_000_000_000_000 + ticks * 2 * leaseMs,
    });
  };
  const memories: Record<Process, SubmissionMemory> = { first: open(), second: open() };
  const raw = new DatabaseSync(file);
  raw.exec("PRAGMA synchronous = OFF");
  onTestFinished(() => raw.close());
  const read = raw.prepare("SELECT * FROM submissions");
  const clear = raw.prepare("DELETE FROM submissions");
  const write = raw.prepare(
    "INSERT INTO submissions VALUES (:key,:attempt,:state,:owner,:lease,:at,:body,:visitor,:sealed)",
  );
  const key = new Uint8Array(16);
  const claim = { key, body: new Uint8Array(16), visitor: '[[],"x"]', isSameVisitor: () => true };
  const complaints = new Set<string>();

  const post = async (world: World, attempt: number, on: Process): Promise<World> => {
    const claimed = await memories[on].claim({ ...claim, attempt });
    const failed = claimed.kind === "ended" && claimed.outcome === "failed";
    if (claimed.kind !== "new") return failed || claimed.kind === "cannot-say" ? allow(world, attempt) : world;
    if (world.ran[attempt]) complaints.add("an attempt ran twice");
    if (world.isDone) complaints.add("ran after it was done");
    if (world.denied.includes(attempt)) complaints.add("ran after its sender was told that it had not arrived");
    if (world.running.some((one) => !world.dead.includes(one.on))) complaints.add("two ran at once");
    const running = [...world.running, { attempt, on }];
    return { ...world, running, ran: { ...world.ran, [attempt]: (world.ran[attempt] ?? 0) + 1 } };
  };

  const ask = async (world: World, attempt: number, on: Process): Promise<World> => {
    const asked = await memories[on].statusOf({ ...claim, attempt, cancel: true });
    if (asked.kind === "not-seen") {
      if (world.ran[attempt]) complaints.add("was told that what had run had not arrived");
      return allow({ ...world, denied: [...new Set([...world.denied, attempt])].sort() }, attempt);
    }
    return asked.kind === "cannot-say" || (asked.kind === "ended" && asked.outcome === "failed")
      ? allow(world, attempt)
      : world;
  };

  const end = async (world: World, at: number, state: "done" | "failed"): Promise<World> => {
    const one = world.running[at];
    if (!one) return world;
    const isKept = await memories[one.on].end({ key, attempt: one.attempt, state, outcome: state, visitor: undefined });
    const running = world.running.filter((_, index) => index !== at);
    return { ...world, running, isDone: world.isDone || (isKept && state === "done") };
  };

  const moves = (world: World): (() => Promise<World>)[] => {
    const alive = (["first", "second"] as const).filter((one) => !world.dead.includes(one));
    const sendable = Array.from({ length: Math.min(world.allowed, attempts) }, (_, at) => at + 1);
    return [
      ...sendable.flatMap((attempt) =>
        alive.flatMap((on) => [() => post(world, attempt, on), () => ask(world, attempt, on)]),
      ),
      ...world.running.flatMap(({ on }, at) =>
        world.dead.includes(on) ? [] : [() => end(world, at, "done"), () => end(world, at, "failed")],
      ),
      ...(world.dead.length === 0 ? [async () => ({ ...world, dead: ["first"] as const })] : []),
      // A lease expires only if no process renews it.
      ...(world.running.every(({ on }) => world.dead.includes(on)) && world.ticks < 2
        ? [async () => ({ ...world, ticks: world.ticks + 1 })]
        : []),
    ];
  };

  const nothing: World = {
    row: undefined,
    ticks: 0,
    running: [],
    ran: {},
    dead: [],
    allowed: 1,
    denied: [],
    isDone: false,
  };
  const seen = new Set<string>();
  let edge = [nothing];
  for (let step = 0; step < depth && edge.length > 0; step++) {
    const next: World[] = [];
    for (const world of edge) {
      for (const move of moves(world)) {
        clear.run();
        if (world.row) write.run(world.row as never);
        ticks = world.ticks;
        const moved = await move();
        const after = { ...moved, row: read.get() };
        const name = nameOf(after);
        if (seen.has(name)) continue;
        seen.add(name);
        next.push(after);
      }
    }
    edge = next;
  }
  return { complaints, states: seen.size };
}

const allow = (world: World, attempt: number): World => ({ ...world, allowed: Math.max(world.allowed, attempt + 1) });

/** Two worlds that only differ in random bytes are equal. */
function nameOf({ row, ...world }: World): string {
  const { attempt, state, lease, owner } = (row ?? {}) as Record<string, unknown>;
  return JSON.stringify([attempt, state, lease, owner && Buffer.from(owner as Uint8Array).toString("hex"), world]);
}

test("no attempt runs twice, none after its sender was told that it had not arrived, none after one was done, never two at once", async () => {
  const { complaints, states } = await explore(Number.POSITIVE_INFINITY);
  expect([...complaints]).toEqual([]);
  expect(states).toBeGreaterThan(500);
});

/** Proves that the checker works: it finds each of these faults. */
const faults: Record<string, { plant: Plant; found: string }> = {
  "a question that writes nothing down": {
    plant: (store) => ({ ...store, take: (row, now) => row.state === "void" || store.take(row, now) }),
    found: "ran after its sender was told that it had not arrived",
  },
  "a claim that does not look at what is there": {
    plant: (store) => ({ ...store, find: () => undefined, take: () => true }),
    found: "an attempt ran twice",
  },
  "an end that is not written": {
    plant: (store) => ({ ...store, end: () => true }),
    found: "ran after it was done",
  },
  "a lease that nobody respects": {
    plant: (store) => ({
      ...store,
      find: async (key) => {
        const row = await store.find(key);
        return row && { ...row, leaseUntil: 0 };
      },
      take: (row, now) => store.take(row, now + 10 * leaseMs),
    }),
    found: "two ran at once",
  },
};

test.each(Object.entries(faults))("a planted fault is found: %s", async (_, { plant, found }) => {
  const { complaints } = await explore(5, plant);
  expect([...complaints]).toContain(found);
});
