import { describe, expect, it } from "vitest";
import { keepProof } from "../../../tests/kit/keep-proof.ts";
import { randomFrom } from "../../../tests/kit/random-from.ts";
import {
  answersOf,
  type BuildChoice,
  type HealingRecord,
  isTried,
  newRoute,
  type RouteEvent,
  stepRoute,
} from "./healing-record.ts";
import { healingLimits } from "./limits.ts";

/**
 * Random schedules of one route: times in which the new build is broken or works, times in which both builds fail,
 * quiet times and busy ones, and four workers whose counts and orders are late by up to two seconds and arrive in any
 * order. The last phase lasts: either the new build stays broken, or it works.
 */
const schedules = 1_000;
const limits = { firstWaitMs: healingLimits.firstWaitMs, longestWaitMs: healingLimits.longestWaitMs };
const baseline = { requests: 1_000, failures: 2 };
const minute = 60_000;

interface Outcome {
  /** Changes of the build that answers, each at its time. */
  moves: number[];
  heals: number;
  lastPhase: { isBroken: boolean; beganAt: number; endedAt: number; failures: number };
  answers: BuildChoice;
}

type Step = typeof stepRoute;

describe("the record of a route", () => {
  it("the record of a route, in 1,000 random schedules: never flaps, and ends on the build that works", () => {
    const complaints = new Set<string>();
    const seen = { healed: 0, returned: 0, brokenAtEnd: 0 };
    let mostMoves = 0;
    let mostFailures = 0;
    for (let seed = 1; seed <= schedules; seed++) {
      const outcome = run(stepRoute, seed);
      for (const complaint of complaintsAbout(outcome)) complaints.add(`${complaint} (seed ${seed})`);
      if (outcome.heals > 0) seen.healed += 1;
      if (outcome.moves.length > 1) seen.returned += 1;
      if (outcome.lastPhase.isBroken) seen.brokenAtEnd += 1;
      mostMoves = Math.max(mostMoves, outcome.moves.length);
      if (outcome.lastPhase.isBroken) mostFailures = Math.max(mostFailures, outcome.lastPhase.failures);
    }
    expect([...complaints]).toEqual([]);
    // The schedules are meaningful only if routes were healed, came back, and were broken at the end.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(schedules / 4);
    keepProof("healing-model", [
      `${schedules} random schedules of one route with four workers, of up to 15 hours.`,
      "",
      `- Routes that were healed: ${seen.healed}; that came back: ${seen.returned}`,
      `- Changes of the build that answers, at most: ${mostMoves}`,
      `- Visitors of a route that stays broken who saw it, at most: ${mostFailures}`,
    ]);
  });
});

describe("the check itself finds", () => {
  it("a route that comes back at once", () => {
    const impatient: Step = (record, event, now, rules) =>
      record.at === "before" && event.kind === "time" ? { record: newRoute } : stepRoute(record, event, now, rules);
    expect(anyComplaint(impatient)).toContain("flaps");
  });

  it("a route that is never tried again", () => {
    const stubborn: Step = (record, event, now, rules) =>
      event.kind === "time" ? { record } : stepRoute(record, event, now, rules);
    expect(anyComplaint(stubborn)).toContain("stays on the build before");
  });

  it("a route that is never healed", () => {
    const blind: Step = (record, event, now, rules) =>
      event.kind === "counted" && event.on === "new" ? { record } : stepRoute(record, event, now, rules);
    expect(anyComplaint(blind)).toContain("visitors saw the error");
  });
});

function anyComplaint(step: Step): string {
  for (let seed = 1; seed <= 100; seed++) {
    const [complaint] = complaintsAbout(run(step, seed));
    if (complaint !== undefined) return complaint;
  }
  return "none";
}

function complaintsAbout({ moves, lastPhase, answers }: Outcome): string[] {
  const complaints: string[] = [];
  for (const [index, at] of moves.entries()) {
    // Healings begin at least the doubled wait apart, and each has a way back.
    const healings = 2 + Math.log2(1 + at / limits.firstWaitMs) + at / limits.longestWaitMs;
    if (index + 1 > 2 * healings)
      complaints.push(`flaps: change ${index + 1} after ${Math.round(at / minute)} minutes`);
  }
  const { isBroken, failures, endedAt, beganAt } = lastPhase;
  if (isBroken && failures > 60) complaints.push(`${failures} visitors saw the error`);
  if (isBroken && answers !== "before") complaints.push("stays on the broken build");
  if (!isBroken && answers !== "new")
    complaints.push(`stays on the build before, ${Math.round((endedAt - beganAt) / minute)} minutes after the fix`);
  return complaints;
}

interface Late {
  at: number;
  happen: () => void;
}

function run(step: Step, seed: number): Outcome {
  const random = randomFrom(seed);
  const upTo = (most: number): number => Math.floor(random() * most);
  let record: HealingRecord = newRoute;
  let now = 0;
  let failures = 0;
  const moves: number[] = [];
  let late: Late[] = [];
  // What each worker believes.
  const workers = Array.from({ length: 4 }, () => ({ answers: "new" as BuildChoice, isTried: false }));
  const happen = (event: RouteEvent): void => {
    const before = { answers: answersOf(record), isTried: isTried(record) };
    record = step(record, event, now, { baseline, never: undefined, limits }).record;
    const told = { answers: answersOf(record), isTried: isTried(record) };
    if (told.answers !== before.answers) moves.push(now);
    if (told.answers === before.answers && told.isTried === before.isTried) return;
    for (const worker of workers) late.push({ at: now + upTo(2_000), happen: () => Object.assign(worker, told) });
  };
  const pass = (ms: number): void => {
    now += ms;
    const due = late.filter(({ at }) => at <= now);
    late = late.filter(({ at }) => at > now);
    for (const one of due) one.happen();
    happen({ kind: "time" });
  };
  const visit = (phase: { newRate: number; beforeRate: number }): void => {
    const worker = workers[upTo(4)];
    if (!worker) return;
    const count = (on: BuildChoice | "trial", rate: number): boolean => {
      const hasFailed = random() < rate;
      const event: RouteEvent = {
        ...{ kind: "counted", on, triable: hasFailed ? 1 : 0 },
        tally: { requests: 1, failures: hasFailed ? 1 : 0 },
      };
      late.push({ at: now + upTo(2_000), happen: () => happen(event) });
      return hasFailed;
    };
    const isFailed = count(worker.answers, worker.answers === "new" ? phase.newRate : phase.beforeRate);
    if (isFailed) failures += 1;
    if (worker.isTried && random() < 0.2) count("trial", phase.newRate);
  };
  const live = (phase: { newRate: number; beforeRate: number; ms: number; everyMs: number }): void => {
    const end = now + phase.ms;
    while (now < end) {
      visit(phase);
      pass(1 + upTo(2 * phase.everyMs));
    }
  };
  for (let phases = upTo(6); phases > 0; phases--) {
    const isBroken = random() < 0.5;
    const isOutage = random() < 0.2;
    const newRate = isOutage ? 1 : isBroken ? [1, 0.5, 0.2][upTo(3)] : 0.002;
    live({
      newRate: newRate ?? 1,
      beforeRate: isOutage ? 1 : 0.002,
      ms: (1 + upTo(90)) * minute,
      everyMs: 1_000 * (1 + upTo(60)),
    });
  }
  const isBroken = random() < 0.5;
  // After a time in which both builds failed, a route is left alone for a while.
  const watchFrom = record.at === "new" ? record.watchFrom : 0;
  if (watchFrom > now) live({ newRate: 0, beforeRate: 0, ms: watchFrom - now, everyMs: 20_000 });
  const beganAt = now;
  failures = 0;
  // Longer than all waits so far together, with enough visitors for a trial.
  live({ newRate: isBroken ? 1 : 0, beforeRate: 0.002, ms: 6 * 60 * minute, everyMs: 20_000 });
  const heals = record.at === "kept" ? 0 : record.heals;
  const lastPhase = { isBroken, beganAt, endedAt: now, failures };
  return { moves, heals, lastPhase, answers: answersOf(record) };
}
