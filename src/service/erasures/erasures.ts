import { messageOf } from "#errors";
import type { SharedState } from "../shared/shared-state.ts";
import type { ErasureOutcome, ErasureStep } from "../stores/erase/erasure.ts";
import { runErasure } from "../stores/erase/run-erasure.ts";
import { LazyReader } from "../stores/lazy-reader.ts";
import type { StoreReader } from "../stores/store.ts";
import { eraseElsewhere } from "./erase-elsewhere.ts";
import { auditWords, ErasureReports, type WaitingErasure } from "./erasure-reports.ts";

export interface ErasuresDeps {
  readonly dataFolder: string;
  readonly shared: SharedState;
  readonly openReader: () => Promise<StoreReader>;
  /** The writer of the store. */
  readonly erase: (step: ErasureStep) => Promise<ErasureOutcome>;
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

/** A person waits for an erasure in minutes. Looking costs one listing of a folder that rarely exists. */
const lookMs = 1_000;
/** The project of the application itself. Its data goes, and its entry stays. */
const ownProject = 1;

/** Executes the erasures that were asked for, one after the other, also those from before a restart. */
export class Erasures {
  readonly #deps: ErasuresDeps;
  readonly #reports: ErasureReports;
  readonly #reader: LazyReader;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: ErasuresDeps) {
    this.#deps = deps;
    this.#reports = new ErasureReports(deps.dataFolder);
    this.#reader = new LazyReader(deps.openReader);
    this.#timer = setInterval(() => void this.run(), lookMs);
    this.#timer.unref();
  }

  /** Resolves when everything that was asked for is done or has failed. */
  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
    await this.#reader.close();
  }

  async #runAll(): Promise<void> {
    for (const erasure of this.#reports.waiting()) {
      if (this.#isClosed) return;
      try {
        await this.#execute(erasure);
      } catch (error) {
        // The process ends, or the database is away. The next turn repeats it, and finds what is left.
        if (this.#isClosed) return;
        if (erasure.state === "waiting") this.#deps.onFault(error);
        this.#reports.write({ ...erasure, state: "failed", why: messageOf(error) });
      }
    }
  }

  async #execute(erasure: WaitingErasure): Promise<void> {
    const { dataFolder, shared, erase, now } = this.#deps;
    const { project, match, what } = erasure;
    if (match === undefined) return;
    const store = await this.#reader.get();
    // What the store finds leads to further events and visits, which are erased elsewhere too.
    let found = match;
    const removed = await runErasure(
      {
        store,
        erase: async (step) => {
          if (step.kind === "lasting") found = step.match;
          return this.#isClosed ? Promise.reject(new Error("The service ends.")) : erase(step);
        },
        now,
      },
      project,
      match,
    );
    await eraseElsewhere({ dataFolder, shared }, project, found);
    if (what === "project" && project !== ownProject) {
      await shared.tokens.revokeAll({ kind: "project", project });
      await shared.projects.remove(project, now());
    }
    const { why: _, ...rest } = erasure;
    const report = { ...rest, state: "done", removed, endedAt: now() } as const;
    await shared.audit.add({ at: now(), by: erasure.by, project, what: auditWords(report) });
    this.#reports.write(report);
    this.#reports.cut();
  }
}
