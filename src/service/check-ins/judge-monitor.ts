import type { MonitorRecord, MonitorRun } from "../stores/records.ts";
import { nextDue, type PlanTimes, planWithDefaults, tooSoonMs } from "./schedule.ts";
import type { MonitorWatch, OpenProblem, ProblemKind } from "./watch-state.ts";

/** What is wrong with a scheduled task. */
export interface RunProblem {
  readonly kind: ProblemKind;
  /** When it was certain. */
  readonly at: number;
  /** When the run was due, for one that is missed or late. */
  readonly dueAt?: number;
  readonly startedAt?: number;
  readonly durationMs?: number;
}

export interface Judgement {
  readonly watch: MonitorWatch;
  /** Problems to report, oldest first. */
  readonly problems: readonly RunProblem[];
  /** Runs were due while no one could have reported them. */
  readonly wasBlind: boolean;
}

export interface JudgedTime {
  /** Everything that was received until then is in the store. */
  readonly now: number;
  /** Since when nothing was evaluated, if that is long ago. */
  readonly blindSince: number | undefined;
  readonly idOf: (problem: RunProblem) => string;
}

/** Lists of marks are as long as that of runs. */
const mostMarks = 60;
/** Due times in one turn. The next turn continues. */
const mostSlots = 500;

/** Decides what happened to a task since it was judged last. Pure: the same facts lead to the same problems. */
export function judgeMonitor(monitor: MonitorRecord, before: MonitorWatch, time: JudgedTime): Judgement {
  const judging = new Judging(monitor, before, time);
  return judging.judge();
}

type Fact = RunProblem | { readonly kind: "good"; readonly at: number; readonly isLate: boolean };

class Judging {
  readonly #monitor: MonitorRecord;
  readonly #time: JudgedTime;
  readonly #plan: PlanTimes;
  #watch: MonitorWatch;
  #facts: Fact[] = [];
  #problems: RunProblem[] = [];
  #wasBlind = false;

  constructor(monitor: MonitorRecord, before: MonitorWatch, time: JudgedTime) {
    this.#monitor = monitor;
    this.#watch = before;
    this.#time = time;
    this.#plan = planWithDefaults(monitor.plan);
  }

  judge(): Judgement {
    this.#findMissed();
    this.#findTooLong();
    this.#findEnds();
    for (const fact of this.#facts.sort((left, right) => left.at - right.at)) this.#count(fact);
    return { watch: this.#watch, problems: this.#problems, wasBlind: this.#wasBlind };
  }

  #findMissed(): void {
    const { plan, runs } = this.#monitor;
    if (plan === undefined) return;
    const lastStart = Math.max(...runs.map(({ startedAt }) => startedAt), Number.NEGATIVE_INFINITY);
    const isInterval = plan.schedule.kind === "interval";
    let cursor = isInterval ? Math.max(this.#watch.upTo, lastStart) : this.#watch.upTo;
    for (let slots = 0; slots < mostSlots; slots += 1) {
      const due = nextDue(plan.schedule, cursor);
      if (due === undefined) return;
      const lastMoment = due + this.#plan.marginMs;
      const isBlind = this.#time.blindSince !== undefined && lastMoment >= this.#time.blindSince;
      // A run that was due before the end of the pause may have started in it, even if its margin is not over.
      if ((isBlind ? due : lastMoment) >= this.#time.now) return;
      if (isBlind) this.#wasBlind = true;
      else this.#judgeSlot(due, nextDue(plan.schedule, due) ?? Number.POSITIVE_INFINITY);
      cursor = isBlind ? this.#time.now : due;
      this.#watch = { ...this.#watch, upTo: cursor };
    }
  }

  #judgeSlot(due: number, next: number): void {
    const { marginMs } = this.#plan;
    const inTime = (run: MonitorRun): boolean => run.startedAt >= due - tooSoonMs && run.startedAt <= due + marginMs;
    if (this.#monitor.runs.some((run) => inTime(run) || this.#isBusyAt(run, due))) return;
    const late = this.#monitor.runs.find(({ startedAt }) => startedAt > due + marginMs && startedAt < next - tooSoonMs);
    if (late !== undefined) return this.#late(late, due);
    this.#facts.push({ kind: "missed", at: due + marginMs, dueAt: due });
    this.#watch = { ...this.#watch, missed: marked(this.#watch.missed, due) };
  }

  /** A run that still goes on when the next is due is not missed. Whether it takes too long is another question. */
  #isBusyAt({ startedAt, endedAt }: MonitorRun, due: number): boolean {
    return startedAt < due && due < (endedAt ?? startedAt + this.#plan.maxRuntimeMs);
  }

  #late({ startedAt }: MonitorRun, dueAt: number): void {
    if (this.#watch.late.includes(startedAt)) return;
    this.#facts.push({ kind: "late", at: startedAt, dueAt, startedAt });
    const missed = this.#watch.missed.filter((due) => due !== dueAt);
    this.#watch = { ...this.#watch, missed, late: marked(this.#watch.late, startedAt) };
  }

  #findTooLong(): void {
    const { now, blindSince } = this.#time;
    for (const { startedAt, endedAt } of this.#monitor.runs) {
      const at = startedAt + this.#plan.maxRuntimeMs;
      if (endedAt !== undefined || at >= now || this.#watch.tooLong.includes(startedAt)) continue;
      this.#watch = { ...this.#watch, tooLong: marked(this.#watch.tooLong, startedAt) };
      // Its end may have been reported while no one could hear it.
      if (blindSince !== undefined && at >= blindSince) this.#wasBlind = true;
      else this.#facts.push({ kind: "too-long", at, startedAt });
    }
  }

  #findEnds(): void {
    const { runs, plan } = this.#monitor;
    // A start after a missed time, which was judged before, is late.
    for (const run of runs) {
      const due = this.#watch.missed.findLast((missed) => missed < run.startedAt);
      const next = due === undefined || plan === undefined ? undefined : nextDue(plan.schedule, due);
      if (due !== undefined && next !== undefined && run.startedAt < next - tooSoonMs) this.#late(run, due);
    }
    for (const { serial = 0, status, startedAt, endedAt = 0, durationMs } of runs) {
      if (serial <= this.#watch.serial) continue;
      const wasReported = this.#watch.tooLong.includes(startedAt);
      const isTooLong = plan?.maxRuntimeMs !== undefined && (durationMs ?? 0) > this.#plan.maxRuntimeMs;
      const ran = { startedAt, ...(durationMs === undefined ? {} : { durationMs }) };
      if (status === "error") this.#facts.push({ kind: "failed", at: endedAt, ...ran });
      else if (isTooLong && !wasReported) {
        this.#facts.push({ kind: "too-long", at: endedAt, ...ran });
        this.#watch = { ...this.#watch, tooLong: marked(this.#watch.tooLong, startedAt) };
      } else if (!wasReported)
        this.#facts.push({ kind: "good", at: endedAt, isLate: this.#watch.late.includes(startedAt) });
    }
    const serials = runs.map(({ serial = 0 }) => serial);
    this.#watch = { ...this.#watch, serial: Math.max(this.#watch.serial, ...serials) };
  }

  #count(fact: Fact): void {
    if (fact.kind === "good") return this.#good(fact.at, fact.isLate);
    const { failuresInRow, lateInRow } = this.#watch;
    const isLate = fact.kind === "late";
    const inRow = (isLate ? lateInRow : failuresInRow) + 1;
    this.#watch = isLate
      ? { ...this.#watch, lateInRow: inRow }
      : { ...this.#watch, failuresInRow: inRow, goodInRow: 0 };
    if (inRow < this.#plan.failureThreshold || this.#monitor.isMuted) return;
    this.#problems.push(fact);
    const open: OpenProblem = { kind: fact.kind, eventId: this.#time.idOf(fact) };
    const others = this.#watch.problems.filter(({ kind }) => kind !== fact.kind);
    this.#watch = { ...this.#watch, problems: [...others, open] };
  }

  #good(at: number, isLate: boolean): void {
    const goodInRow = this.#watch.goodInRow + 1;
    const lateInRow = isLate ? this.#watch.lateInRow : 0;
    const isOver = goodInRow >= this.#plan.recoveryThreshold;
    const problems = this.#watch.problems.map((problem) =>
      isOver && problem.resolvedAt === undefined && !(isLate && problem.kind === "late")
        ? { ...problem, resolvedAt: at }
        : problem,
    );
    this.#watch = { ...this.#watch, goodInRow, lateInRow, failuresInRow: 0, problems };
  }
}

function marked(marks: readonly number[], mark: number): readonly number[] {
  return [...marks, mark].slice(-mostMarks);
}
