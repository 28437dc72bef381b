import { IntakeCounts } from "./accept/intake-counts.ts";
import type { Clock } from "./clock.ts";
import { exampleMs, type IntakeChanges, type KnownRules } from "./intake/figures.ts";
import type { IntakeFigures } from "./intake/intake-figures.ts";
import type { Projects } from "./projects.ts";

/** Figures are written at most so often: each time is a write to the disk or to the database. */
const betweenWritesMs = 60_000;
/** After a quiet minute, the first change is written this soon, so that a new key is seen to work. */
const soonMs = 1_000;

export interface FiguresDeps {
  readonly figures: IntakeFigures;
  readonly projects: Projects;
  readonly clock: Clock;
  /** Takes secrets out of an example. */
  readonly clean: (text: string) => string;
}

/** Counts what keys and filters do, and writes it for the console. What cannot be written is lost: it is no report. */
export class FiguresWriter {
  readonly counts: IntakeCounts;
  readonly #deps: FiguresDeps;
  #timer: NodeJS.Timeout | undefined;
  #forgetting: NodeJS.Timeout | undefined;
  #writtenMs = Number.NEGATIVE_INFINITY;

  constructor(deps: FiguresDeps) {
    this.#deps = deps;
    this.counts = new IntakeCounts(deps.clock, () => this.#writeLater());
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    clearTimeout(this.#forgetting);
    const changes = this.counts.take();
    if (changes.keys.size + changes.filters.size + changes.spikes.size > 0) await this.#write(changes);
  }

  #writeLater(): void {
    const sinceMs = this.#deps.clock.elapsed() - this.#writtenMs;
    clearTimeout(this.#timer);
    const delayMs = Math.max(soonMs, betweenWritesMs - sinceMs);
    this.#timer = setTimeout(() => void this.#write(this.counts.take()), delayMs).unref();
  }

  async #write(changes: IntakeChanges): Promise<void> {
    const { figures, projects, clock, clean } = this.#deps;
    this.#writtenMs = clock.elapsed();
    const filters = new Map(
      [...changes.filters].map(([id, { dropped, example }]) => [
        id,
        { dropped, example: { at: example.at, text: clean(example.text) } },
      ]),
    );
    // Each write removes examples that are too old. If none follows, this one does.
    clearTimeout(this.#forgetting);
    if (filters.size > 0) this.#forgetting = setTimeout(() => void this.#write(this.counts.take()), exampleMs).unref();
    await figures.add({ ...changes, filters }, knownIn(projects), clock.now()).catch(() => undefined);
  }
}

function knownIn(projects: Projects): KnownRules {
  const ids = new Set(projects.all.flatMap(({ filters = [] }) => filters.map(({ id }) => id)));
  return {
    hasKey: (key) => projects.findKey(key) !== undefined,
    hasFilter: (id) => ids.has(id),
    hasProject: (id) => projects.byId(id) !== undefined,
  };
}
