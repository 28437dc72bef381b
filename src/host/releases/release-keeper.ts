import { noRequests, type Tally } from "./evidence.ts";
import { answersOf } from "./healing-record.ts";
import { keepBuild } from "./keep-build.ts";
import { type HealingLimits, healingLimits } from "./limits.ts";
import { ReleaseFolder, type ReleaseNote } from "./release-folder.ts";
import type { FromKeeper, ServedRelease, ToKeeper } from "./release-messages.ts";
import { RouteJudge } from "./route-judge.ts";

export interface KeeperDeps {
  dataFolder: string;
  now: () => number;
  warn: (sentence: string, error?: unknown) => void;
  /** To all processes that serve a release, or to one of them. */
  send: (message: FromKeeper, to: "all" | "one") => void;
}

/** A release with fewer answers says too little about its routes; the one before it says more. */
const enoughAnswers = 20;

/** During a deployment two releases are served at once. */
const releasesAtOnce = 2;

/**
 * Decides which build answers which route, for all processes of a machine, and keeps on disk what that needs: the
 * counts of this release and of the one before, and the build of both.
 */
export class ReleaseKeeper {
  readonly #deps: KeeperDeps;
  readonly #folder: ReleaseFolder;
  readonly #judges = new Map<string, Promise<RouteJudge>>();
  readonly #timers: NodeJS.Timeout[] = [];
  #work = Promise.resolve();
  /** Said once, and not with every attempt. */
  #isFailing = false;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
    this.#folder = new ReleaseFolder(deps.dataFolder);
    this.#timers.push(setInterval(() => this.#soon(() => this.#look()), healingLimits.lookMs).unref());
    this.#timers.push(setInterval(() => this.#soon(() => this.#write()), healingLimits.writeMs).unref());
  }

  receive(message: ToKeeper): void {
    if (message.kind === "release-served") return this.#soon(() => this.#serve(message.release));
    if (message.kind === "release-pin") return this.#soon(() => this.#pin(message));
    const judge = this.#judges.get(message.key);
    void judge?.then((one) => {
      if (message.kind === "release-counts") for (const counted of message.counts) one.count(counted);
      else if (message.kind === "release-unusable") one.unusable(message.route, message.why);
      else if (one.before?.key === message.before) one.adopt(message.decision);
    });
  }

  /** Writes what it knows. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#soon(() => this.#write());
    await this.#work;
  }

  /** One after the other, because all of it reads and writes the same files. */
  #soon(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).then(
      () => {
        this.#isFailing = false;
      },
      (error: unknown) => {
        if (!this.#isFailing) this.#deps.warn("The folder of releases cannot be used:", error);
        this.#isFailing = true;
      },
    );
  }

  async #serve(release: ServedRelease): Promise<void> {
    const known = this.#judges.get(release.key);
    if (!known) {
      await this.#write();
      this.#judges.set(release.key, this.#open(release));
      const [oldest = ""] = this.#judges.keys();
      if (this.#judges.size > releasesAtOnce) this.#judges.delete(oldest);
    }
    const judge = await this.#judges.get(release.key);
    if (judge) this.#sendRoutes(judge);
    if (known || !judge) return;
    await this.#write();
    await this.#keep(release, judge);
  }

  /** Between the same two builds only: "before" means another build elsewhere. */
  async #pin({ key, before, pinned }: Extract<ToKeeper, { kind: "release-pin" }>): Promise<void> {
    const judge = await this.#judges.get(key);
    if (judge?.before?.key === before) await this.#folder.pin(key, pinned);
  }

  async #open(release: ServedRelease): Promise<RouteJudge> {
    const { key, name, build, holdfast, data } = release;
    const notes = await this.#folder.notes();
    const own = notes.find((note) => note.key === key);
    const before = chooseBefore(notes, own, key);
    const limits: HealingLimits = { ...healingLimits, firstWaitMs: release.firstWaitMs };
    const kept = before && { key: before.key, name: before.name, folder: this.#folder.buildOf(before.key) };
    const never = whyNever(release, before);
    const note: ReleaseNote = {
      ...{ key, name, build, holdfast, data, servedAt: this.#deps.now(), before: before?.key, never },
      counts: own?.counts ?? {},
      routes: own?.before === before?.key ? (own?.routes ?? {}) : {},
    };
    const judge: RouteJudge = new RouteJudge({
      note,
      before: kept,
      baseline: before?.counts ?? {},
      never,
      limits,
      now: this.#deps.now,
      onRoutes: () => {
        this.#sendRoutes(judge);
        this.#soon(() => this.#write());
      },
      onChange: (decision, notice) =>
        this.#deps.send({ kind: "release-changed", key, before: kept, decision, notice }, "one"),
    });
    return judge;
  }

  #sendRoutes({ note, before, healed }: RouteJudge): void {
    this.#deps.send({ kind: "release-routes", key: note.key, before, routes: healed }, "all");
  }

  /** Keeps this build for the next release, and removes all but this one and the one before. */
  async #keep({ key, dist, healing, buildBytes }: ServedRelease, judge: RouteJudge): Promise<void> {
    const wanted = new Set([key, judge.before?.key]);
    for (const note of await this.#folder.notes()) if (!wanted.has(note.key)) await this.#folder.remove(note.key);
    if (healing !== "heal") return;
    const copy = await keepBuild({ dist, to: this.#folder.buildOf(key), key, buildBytes });
    if (copy === "too-large")
      this.#deps.warn(
        `This build is not kept for the next release: it has more than ${buildBytes} bytes (limits.keptBuildBytes).`,
      );
  }

  async #look(): Promise<void> {
    for (const opening of this.#judges.values()) {
      const judge = await opening;
      const { key } = judge.note;
      judge.adoptAll((await this.#folder.noteOfOther(key))?.routes ?? {});
      judge.look(await this.#folder.pins(key));
    }
  }

  async #write(): Promise<void> {
    for (const opening of this.#judges.values()) {
      const judge = await opening;
      if (!judge.isChanged) continue;
      judge.adoptAll((await this.#folder.noteOfOther(judge.note.key))?.routes ?? {});
      judge.isChanged = false;
      await this.#folder.write(judge.note).catch((error: unknown) => {
        judge.isChanged = true;
        throw error;
      });
    }
  }
}

/**
 * The last release that answers all its routes itself and has been asked often enough. A release that has lost a route
 * is no measure for the next one: that route runs on the one before it.
 */
function chooseBefore(
  notes: readonly ReleaseNote[],
  own: ReleaseNote | undefined,
  key: string,
): ReleaseNote | undefined {
  // A restart of the same release goes on as it was.
  if (own?.before !== undefined && notes[0]?.key === key) return notes.find((note) => note.key === own.before);
  const others = notes.filter((note) => note.key !== key);
  return others.find((note) => isWhole(note) && answersIn(note) >= enoughAnswers) ?? others.find(isWhole);
}

function isWhole({ routes }: ReleaseNote): boolean {
  return Object.values(routes).every((record) => answersOf(record) === "new");
}

function answersIn({ counts }: ReleaseNote): number {
  return Object.values(counts).reduce((sum: number, tally: Tally) => sum + tally.requests, noRequests.requests);
}

function whyNever(release: ServedRelease, before: ReleaseNote | undefined): string | undefined {
  if (!before) return "there is no release before it";
  if (release.healing === "warn") return 'releases.healing is "warn"';
  if (before.holdfast !== release.holdfast) return `${before.name} was built with Holdfast ${before.holdfast}`;
  if (before.data !== release.data) return "releases.data has changed";
  return undefined;
}
