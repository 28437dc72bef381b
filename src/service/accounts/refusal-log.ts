import type { Clock } from "../clock.ts";
import type { RowQueries } from "../rows/rows.ts";
import { readRoles, roleIn } from "./people.ts";

/** Refusals of one person, for one reason, within a quarter of an hour are one line. */
const quarterMs = 900_000;
/** Bounds the disk space: months of a busy service. The oldest lines are deleted first. */
const mostLines = 10_000;
/** Lines of other people, which a project does not show, are among those that are read. */
const readLines = 1_000;

export interface PersonRefusal {
  /** Undefined if no account has the typed address. */
  readonly who: string | undefined;
  /** Undefined if it concerns no single project. */
  readonly project?: number | undefined;
  /** For example `wrong password`. */
  readonly why: string;
}

export interface RefusalLine extends PersonRefusal {
  /** The last one. */
  readonly at: number;
  readonly count: number;
}

/**
 * Who was refused and why: wrong passwords, missing roles. One line per quarter of an hour has their number, so that a
 * program that guesses cannot fill the disk. All processes count together.
 */
export class RefusalLog {
  readonly #rows: RowQueries;
  readonly #clock: Clock;

  constructor(rows: RowQueries, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  async add({ who = "", project = 0, why }: PersonRefusal): Promise<void> {
    const now = this.#clock.now();
    const line = await this.#rows.one<{ count: number }>(
      `INSERT INTO holdfast.refusal (quarter, who, project, why, count, at) VALUES ($1, $2, $3, $4, 1, $5)
       ON CONFLICT (quarter, who, project, why) DO UPDATE SET count = refusal.count + 1, at = excluded.at
       RETURNING count`,
      Math.floor(now / quarterMs),
      who,
      project,
      why,
      now,
    );
    if (line?.count === 1) await this.#deleteOldest();
  }

  /** Returns what concerns a project or the people who have a role in it, newest first. */
  async recent(project: number, limit: number): Promise<readonly RefusalLine[]> {
    const lines = await this.#rows.all<Stored>(
      `SELECT who, project, why, count, at, roles FROM holdfast.refusal LEFT JOIN holdfast.account ON email = who
       WHERE project = $1 OR project = 0 ORDER BY at DESC, who, why LIMIT ${readLines}`,
      project,
    );
    return lines
      .filter(({ who, roles, ...line }) => line.project === project || who === "" || mayBeSeen(who, roles, project))
      .slice(0, limit)
      .map(({ who, project: of, why, count, at }) => ({
        at,
        count,
        why,
        who: who === "" ? undefined : who,
        ...(of !== 0 && { project: of }),
      }));
  }

  async #deleteOldest(): Promise<void> {
    await this.#rows.run(
      `DELETE FROM holdfast.refusal WHERE at < (
         SELECT min(at) FROM (SELECT at FROM holdfast.refusal ORDER BY at DESC LIMIT ${mostLines}) AS kept)`,
    );
  }
}

interface Stored {
  who: string;
  /** 0 for none. */
  project: number;
  why: string;
  count: number;
  at: number;
  roles: string | null;
}

/** The owners of a project learn nothing about people of other projects. */
function mayBeSeen(who: string, roles: string | null, project: number): boolean {
  return roles !== null && roleIn({ name: who, roles: readRoles(roles) }, project) !== undefined;
}
