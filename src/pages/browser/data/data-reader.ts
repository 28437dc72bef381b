import type { FullLoadReason } from "#signals";
import type { isAffected } from "../../affected.ts";
import type { BrowserLimits } from "../../limits.ts";
import type { DataOutcome, PageDataReader, ReadOptions } from "../../react/data-outcome.ts";
import type { setTimer } from "../set-timer.ts";
import type { Screen } from "../show/screen.tsx";
import { withoutHash } from "./page-answer.ts";
import type { PageProgress, PageSource } from "./page-source.ts";

export interface DataReaderDeps {
  source: Pick<PageSource, "read">;
  limits: Pick<BrowserLimits, "retryMs" | "navigationCapMs">;
  setTimer: typeof setTimer;
  screen: Pick<Screen, "url">;
  /** Reports that a page could not be read; returns the digest. */
  report(url: string, reason: FullLoadReason): string | undefined;
  isHidden(): boolean;
  isAffected: typeof isAffected;
  /** Whether the server responds at all. */
  probe(): Promise<boolean>;
  /** Calls back once when the browser says that it is online. */
  onceOnline(run: () => void): void;
  /** The server has another build. */
  metOtherBuild(): void;
}

/** After these failures the server may be unreachable, so it is probed and then asked once more. */
const doubtful: ReadonlySet<FullLoadReason> = new Set(["network", "cut-data", "timeout-data"]);

type Ended = Exclude<PageProgress, { kind: "alive" }>;

/** Reads the data of pages without navigating, with the deadlines and the patience of a navigation. */
export class DataReader implements PageDataReader {
  readonly #deps: DataReaderDeps;
  readonly #listeners = new Set<(isChanged: (href: string) => boolean) => void>();
  /** What each page depends on, by its address. */
  readonly #depends = new Map<string, readonly string[]>();
  /** What has changed since the listeners were called. `undefined` in it is anything. */
  #owed: (readonly string[] | undefined)[] = [];

  constructor(deps: DataReaderDeps) {
    this.#deps = deps;
  }

  onChange(listener: (isChanged: (href: string) => boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something has changed, in this or another tab. A hidden tab waits, unless another user may be signed in. */
  changed(session: boolean, names?: readonly string[]): void {
    this.#owed.push(names);
    this.settle(session);
  }

  /** The tab may have become visible. */
  settle(evenHidden = false): void {
    if (this.#owed.length === 0 || (this.#deps.isHidden() && !evenHidden)) return;
    const changes = this.#owed.splice(0);
    const isChanged = (href: string): boolean => {
      const depends = this.#depends.get(this.#urlOf(href));
      return changes.some((names) => this.#deps.isAffected(depends, names));
    };
    for (const listener of this.#listeners) listener(isChanged);
  }

  async read(href: string, { why, signal, onHeld }: ReadOptions): Promise<DataOutcome> {
    const url = this.#urlOf(href);
    let failures = 0;
    for (let probes = 0; ; ) {
      const ended = await this.#ask(url, why !== "load", signal);
      if (signal.aborted) return superseded;
      if (ended.kind !== "data-failed") {
        this.#note(url, ended);
        return outcomeOf(ended);
      }
      if (ended.reason === "build-mismatch") {
        if (why !== "change") this.#deps.metOtherBuild();
        return { kind: "outdated" };
      }
      if (!doubtful.has(ended.reason)) return this.#unreadable(url, ended.reason);
      const isReachable = await this.#deps.probe();
      if (signal.aborted) return superseded;
      if (isReachable && failures > 0) return this.#unreadable(url, ended.reason);
      failures = isReachable ? 1 : 0;
      if (isReachable) continue;
      onHeld();
      await this.#pause(probes);
      probes += 1;
      if (signal.aborted) return superseded;
    }
  }

  #urlOf(href: string): string {
    return withoutHash(new URL(href, this.#deps.screen.url).href);
  }

  #note(url: string, ended: Ended): void {
    const depends = ended.kind === "answered" ? ended.page.depends : undefined;
    if (this.#depends.size >= pagesAtMost) this.#depends.clear();
    if (depends) this.#depends.set(url, depends);
    else this.#depends.delete(url);
  }

  #unreadable(url: string, reason: FullLoadReason): DataOutcome {
    return {
      kind: "unreadable",
      reason,
      digest: this.#deps.report(url, reason),
    };
  }

  /** One request. After its end the late parts of the data go on until the signal is aborted. */
  #ask(url: string, refetch: boolean, signal: AbortSignal): Promise<Ended> {
    const { source, limits, setTimer } = this.#deps;
    return new Promise((resolve) => {
      const end = (ended: Ended): void => {
        cancelTimer();
        resolve(ended);
      };
      const giveUp = (): void => {
        stop();
        end(timedOut);
      };
      const cancelTimer = setTimer(giveUp, limits.navigationCapMs);
      const stop = source.read(url, refetch, (progress) => {
        if (progress.kind !== "alive") end(progress);
      });
      signal.addEventListener("abort", giveUp, { once: true });
      if (signal.aborted) giveUp();
    });
  }

  #pause(probes: number): Promise<void> {
    const { limits, setTimer, onceOnline } = this.#deps;
    return new Promise((resolve) => {
      onceOnline(resolve);
      setTimer(resolve, limits.retryMs[Math.min(probes, limits.retryMs.length - 1)] ?? limits.navigationCapMs);
    });
  }
}

/** A page that is no longer known depends on anything. */
const pagesAtMost = 200;
const superseded: DataOutcome = { kind: "superseded" };
const timedOut: Ended = { kind: "data-failed", reason: "timeout-data", joined: false };

function outcomeOf(ended: Exclude<Ended, { kind: "data-failed" }>): DataOutcome {
  if (ended.kind === "redirected") return ended;
  const { view } = ended.page;
  const { status } = view;
  if (view.kind === "page") return { kind: "loaded", data: view.data[view.folders.length] };
  if (view.kind === "not-found") return { kind: "not-found", status };
  return status < 500 ? { kind: "refused", status } : { kind: "failed", status, digest: view.digest };
}
