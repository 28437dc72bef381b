import { randomUUID } from "node:crypto";
import { messageOf } from "#errors";
import type { NamedSchedule } from "#pages";
import type { ServerReporting } from "#reporting";
import { lastCronTime, nextCronTime, type ScheduleClaim, type ScheduleClaims } from "#service";
import { runSchedule } from "./run-schedule.ts";

/**
 * None of them is a setting. What a task does about a missed time or a long run is an option of the task, and a process
 * that shows no life for a minute answers no request either.
 */
export interface SchedulerLimits {
  /** How often due times are compared with the clock. */
  everyMs: number;
  /** A due time that is seen later than this was missed: the process slept, or none ran. */
  lateMs: number;
  /** So long after its last sign of life, a run counts as dead and the next may begin. */
  leaseMs: number;
  renewMs: number;
}

export const schedulerLimits: SchedulerLimits = { everyMs: 1_000, lateMs: 60_000, leaseMs: 60_000, renewMs: 15_000 };

export interface SchedulerDeps {
  readonly application: string;
  readonly schedules: readonly NamedSchedule[];
  readonly claims: ScheduleClaims;
  readonly reporting: Pick<ServerReporting, "runTask">;
  readonly limits: SchedulerLimits;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

interface Waiting {
  readonly schedule: NamedSchedule;
  /** The next due time; undefined if there is none any more. */
  next: number | undefined;
}

/** Runs the tasks of an application when they are due, each in one of all processes with the same claims. */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #holder = randomUUID();
  readonly #abandoned = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #waiting: readonly Waiting[] | undefined;
  #warnedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** Follows the clock. */
  start(): void {
    const failed = this.#warnOf("Scheduled tasks wait for the store");
    this.#timer = setInterval(() => {
      this.#turn = this.#turn.then(() => this.look()).catch(failed);
    }, this.#deps.limits.everyMs);
    this.#timer.unref();
  }

  /** Finds out what ran last, in any process. */
  async #begin(): Promise<readonly Waiting[]> {
    const { application, schedules, claims, now } = this.#deps;
    return Promise.all(
      schedules.map(async (schedule) => {
        const last = await claims.lastDue({ application, name: schedule.name, now: now() });
        return { schedule, next: this.#nextAfter(schedule, last) };
      }),
    );
  }

  /** Starts what is due, and resolves without waiting for its end. */
  async look(): Promise<void> {
    this.#waiting ??= await this.#begin();
    for (const waiting of this.#waiting) {
      const now = this.#deps.now();
      if (this.#isStopped || waiting.next === undefined || waiting.next > now) continue;
      const { schedule } = waiting;
      // After a pause, only the last of several due times counts.
      const due = lastCronTime(schedule.crontab, schedule.options.timeZone, now) ?? waiting.next;
      const isMissed = now - due > this.#deps.limits.lateMs;
      if ((!isMissed || schedule.options.missed === "run-once") && (await this.#claim(schedule, due)))
        this.#follow(this.#runClaimed(schedule, due));
      waiting.next = this.#nextAfter(schedule, due);
    }
  }

  /** Starts nothing more. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Tells running tasks to end. */
  abandon(): void {
    this.#abandoned.abort(new Error("The server stops."));
  }

  /** Resolves when no task runs. */
  async idle(): Promise<void> {
    await this.#turn;
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #nextAfter({ crontab, options }: NamedSchedule, after: number): number | undefined {
    return nextCronTime(crontab, options.timeZone, after);
  }

  #claimOf({ name }: NamedSchedule, dueAt: number): ScheduleClaim {
    const now = this.#deps.now();
    return {
      application: this.#deps.application,
      name,
      dueAt,
      holder: this.#holder,
      now,
      until: now + this.#deps.limits.leaseMs,
    };
  }

  async #claim(schedule: NamedSchedule, due: number): Promise<boolean> {
    try {
      return await this.#deps.claims.claim(this.#claimOf(schedule, due), schedule.options.overlap ?? false);
    } catch (error) {
      this.#warnOf(`${schedule.name} does not run at its time, because the store cannot be asked`)(error);
      return false;
    }
  }

  async #runClaimed(schedule: NamedSchedule, due: number): Promise<void> {
    const { claims, limits } = this.#deps;
    const failed = this.#warnOf(`The store could not be told about ${schedule.name}`);
    const renewal = setInterval(() => void claims.renew(this.#claimOf(schedule, due)).catch(failed), limits.renewMs);
    try {
      const { reporting, warn } = this.#deps;
      await runSchedule(schedule, { dueAt: due, signal: this.#abandoned.signal, reporting, warn });
    } finally {
      clearInterval(renewal);
      await claims.release(this.#claimOf(schedule, due)).catch(failed);
    }
  }

  #follow<Result>(run: Promise<Result>): Promise<Result> {
    const followed = run.finally(() => this.#running.delete(followed));
    this.#running.add(followed);
    return followed;
  }

  /** Once a minute: a database that is away fails every second. */
  #warnOf(what: string): (error: unknown) => void {
    return (error) => {
      const now = this.#deps.now();
      if (now - this.#warnedAt < 60_000) return;
      this.#warnedAt = now;
      this.#deps.warn(`${what}: ${messageOf(error)}`);
    };
  }
}
