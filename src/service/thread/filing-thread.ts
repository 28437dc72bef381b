import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { errorOf } from "#errors";
import { serviceErrors } from "../errors.ts";
import type { ErasureOutcome, ErasureStep } from "../stores/erase/erasure.ts";
import type { StoreHealth } from "../stores/store-health.ts";
import type {
  FilingProgress,
  FilingRequest,
  FilingResponse,
  FilingWorkerData,
  FromFiling,
  ToFiling,
} from "./messages.ts";

export interface FilingListener {
  filed(progress: FilingProgress): void;
  /** Accepts an envelope of the thread. Resolves with the reason if it is refused. */
  report(project: number, envelope: Uint8Array): Promise<string | undefined>;
  /** The thread died or met an unexpected error. It continues or is restarted. */
  fault(error: Error): void;
  /** Called when nothing can be filed at the moment. */
  storeIsAway(why: string): void;
  /** Called when filing is possible again. */
  storeIsBack(): void;
  /** Called when the store has met problems, or has recovered. */
  storeHealthChanged(health: StoreHealth): void;
  /** Called with the new limit of disk use. */
  diskLimitChanged(bytes: number): void;
}

const noListener: FilingListener = {
  filed: () => undefined,
  report: async () => "The service is being opened.",
  fault: () => undefined,
  storeIsAway: () => undefined,
  storeIsBack: () => undefined,
  storeHealthChanged: () => undefined,
  diskLimitChanged: () => undefined,
};

/** Delays of restarts after the thread died, from the first to the slowest. */
const restartMs = [100, 1_000, 5_000, 30_000] as const;
/** The same after a store could not be opened. Its readers shall be back within seconds of it. */
const reopenMs = 2_000;

/**
 * Controls the filing thread from the main thread: starts it, sends it positions and requests, restarts and closes it.
 */
export class FilingThread {
  readonly #data: FilingWorkerData;
  #listener: FilingListener = noListener;
  #worker: Worker | undefined;
  #ready: Promise<number | undefined>;
  #readableEnd = 0;
  #deaths = 0;
  /** Number of records since the start that could not be filed. */
  quarantined = 0;
  #closing: PromiseWithResolvers<number> | undefined;
  #restart: NodeJS.Timeout | undefined;
  /** Otherwise, a store that cannot be opened fails the opening of the service. */
  #isRestarted: boolean;
  /** Why the store cannot be written. */
  #away: string | undefined;
  #nextRequest = 1;
  readonly #requests = new Map<number, (response: FilingResponse) => void>();

  /** `mayWait`: the service can begin while the store is away, and the thread is restarted until it is there. */
  constructor(data: FilingWorkerData, mayWait = false) {
    this.#data = data;
    this.#isRestarted = mayWait;
    this.#ready = this.#start();
  }

  /** Sets the listener. Before that, `ready` rejects if the thread fails. */
  listen(listener: FilingListener): void {
    this.#listener = listener;
    if (this.#away !== undefined) listener.storeIsAway(this.#away);
  }

  /** Position at which filing begins, or undefined if the store is away. Rejects if the store cannot be opened. */
  get ready(): Promise<number | undefined> {
    return this.#ready;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  readUpTo(end: number): void {
    this.#readableEnd = end;
    this.#post({ kind: "readable", end });
  }

  async request(request: FilingRequest): Promise<readonly number[]> {
    const response = await this.#ask(request);
    return response.kind === "done" ? response.numbers : [];
  }

  /** Executes one piece of an erasure. Filing waits for it. */
  async erase(step: ErasureStep): Promise<ErasureOutcome> {
    const response = await this.#ask({ kind: "erase", step });
    if (response.kind !== "erased") throw serviceErrors.filingFailed("erase", "It gave no outcome.");
    return response.outcome;
  }

  async #ask(request: FilingRequest): Promise<Exclude<FilingResponse, { kind: "failed" }>> {
    const response = await new Promise<FilingResponse>((resolve) => {
      const id = this.#nextRequest;
      this.#nextRequest += 1;
      this.#requests.set(id, resolve);
      if (this.#worker === undefined) this.#respond(id, { kind: "failed", why: "Filing is being started again." });
      else this.#post({ kind: "request", id, request });
    });
    if (response.kind === "failed") throw serviceErrors.filingFailed(request.kind, response.why);
    return response;
  }

  /** Lets the thread finish. Resolves with the position before which the journal can be released. */
  async close(): Promise<number> {
    clearTimeout(this.#restart);
    if (this.#worker === undefined) return 0;
    this.#closing ??= Promise.withResolvers<number>();
    this.#post({ kind: "close" });
    return this.#closing.promise;
  }

  #start(): Promise<number | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const worker = startWorker(this.#data);
    this.#worker = worker;
    worker.on("message", (message: FromFiling) => {
      if (message.kind === "ready") resolve(message.applied);
      else if (message.kind === "store-away" && this.#isRestarted) resolve(undefined);
      this.#onMessage(message);
    });
    let cause: Error | undefined;
    worker.on("error", (error) => {
      cause = errorOf(error);
      this.#listener.fault(cause);
    });
    // Not before: the error may overtake the message that the store is away.
    worker.on("exit", () => {
      reject(cause ?? serviceErrors.filingFailed("start", "The thread ended."));
      this.#ended();
    });
    return promise;
  }

  #onMessage(message: FromFiling): void {
    switch (message.kind) {
      case "ready":
        this.#isRestarted = true;
        this.#storeIsBack();
        this.#post({ kind: "readable", end: this.#readableEnd });
        return;
      case "filed":
        this.#deaths = 0;
        this.#listener.filed(message.progress);
        return;
      case "response":
        this.#respond(message.id, message.response);
        return;
      case "report":
        void this.#report(message);
        return;
      case "fault": {
        if (message.isQuarantined) this.quarantined += 1;
        const error = new Error(message.message);
        if (message.stack !== undefined) error.stack = message.stack;
        this.#listener.fault(error);
        return;
      }
      case "store-away":
        this.#away = message.why;
        this.#listener.storeIsAway(message.why);
        return;
      case "store-back":
        this.#storeIsBack();
        return;
      case "store-health":
        this.#listener.storeHealthChanged(message.health);
        return;
      case "disk-limit":
        this.#listener.diskLimitChanged(message.bytes);
        return;
      case "closed":
        this.#closing?.resolve(message.releasable);
        return;
    }
  }

  async #report({ id, project, envelope }: Extract<FromFiling, { kind: "report" }>): Promise<void> {
    this.#post({ kind: "reported", id, refused: await this.#listener.report(project, envelope) });
  }

  #respond(id: number, response: FilingResponse): void {
    this.#requests.get(id)?.(response);
    this.#requests.delete(id);
  }

  #ended(): void {
    this.#worker = undefined;
    for (const id of this.#requests.keys())
      this.#respond(id, { kind: "failed", why: "The thread ended before it could answer." });
    if (this.#closing !== undefined) {
      this.#closing.resolve(0);
      return;
    }
    if (!this.#isRestarted) return;
    this.#listener.storeIsAway(this.#away ?? "The filing thread has ended.");
    const wait = this.#away !== undefined ? reopenMs : restartMs[Math.min(this.#deaths, restartMs.length - 1)];
    this.#deaths += 1;
    this.#restart = setTimeout(() => {
      this.#ready = this.#start();
      this.#ready.catch(() => {
        // The listener was notified, and the next attempt follows.
      });
    }, wait);
    this.#restart.unref();
  }

  #storeIsBack(): void {
    this.#away = undefined;
    this.#listener.storeIsBack();
  }

  #post(message: ToFiling): void {
    this.#worker?.postMessage(message);
  }
}

/** A thread does not inherit the compile cache of its process. */
function compiledAsHere(): { env?: NodeJS.ProcessEnv } {
  const folder = getCompileCacheDir();
  // Node appends a folder named after its version to the configured one.
  return folder === undefined ? {} : { env: { ...process.env, NODE_COMPILE_CACHE: dirname(folder) } };
}

/**
 * Filed objects live for one batch. By default, the thread accumulates 64 MB and more of them, and a service under five
 * times its load used 330 MB. With this limit it uses 220 MB, at the same CPU time per event.
 */
const youngMegabytes = 24;
/**
 * With a limit, V8 accumulates less garbage: 40 MB instead of 80 MB while thousands of new issues arrive. The largest
 * accepted envelope needs a fifth of it.
 */
const oldMegabytes = 512;

/**
 * From source, `scripts/compile-threads.js` has compiled the thread: Node's type stripping sometimes crashes in
 * threads.
 */
const compiledSource = "../../../node_modules/.cache/holdfast/threads/filing-worker.js";

function startWorker(workerData: FilingWorkerData): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const file = new URL(isSource ? compiledSource : "./filing-worker.js", import.meta.url);
  return new Worker(file, {
    workerData,
    name: "holdfast-filing",
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes, maxOldGenerationSizeMb: oldMegabytes },
    ...compiledAsHere(),
    ...(isSource ? { execArgv: [] } : {}),
  });
}
