import type { HandlerOptions, LifecycleContext, LifecycleHooks, PageHandler } from "#pages";
import { handlerOf } from "../built-pages.ts";
import { type HookDeps, runOnStart, runOnStop } from "./hooks.ts";

export interface VersionDeps {
  /** The application's folder. */
  readonly root: string;
  readonly handlerOptions: HandlerOptions;
  /** Exports of the server entry; another object after a change. */
  serverModule(): Promise<Record<string, unknown>>;
  readonly startMs: number;
  readonly stopMs: number;
  readonly warn: HookDeps["warn"];
}

interface Version {
  readonly module: unknown;
  readonly handler: PageHandler;
  readonly hooks: LifecycleHooks;
  /** Requests that it is answering. */
  readonly requests: Set<Promise<void>>;
}

/**
 * The application of the current sources. After a change the old version stops before the new one starts, so that each
 * port and each lock has one owner.
 */
export class SourceVersions {
  readonly #deps: VersionDeps;
  #current: Version | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: VersionDeps) {
    this.#deps = deps;
  }

  /** The handler of the newest sources, started. One whose start failed is started again by the next call. */
  async newest(): Promise<PageHandler> {
    const { handler, requests } = await this.#newest();
    return {
      ...handler,
      handle: (incoming, response) => {
        const answered = Promise.resolve(handler.handle(incoming, response));
        const ended = answered.then(undefined, () => undefined).then(() => void requests.delete(ended));
        requests.add(ended);
        return answered;
      },
    };
  }

  /** Calls `onStop` of the version that runs. */
  async stop(context: LifecycleContext): Promise<void> {
    await this.#turn;
    const hooks = this.#current?.hooks;
    this.#current = undefined;
    await hooks?.onStop?.(context);
  }

  /** One after the other: two requests after a change must not start it twice. */
  #newest(): Promise<Version> {
    const turn = this.#turn.then(() => this.#renew());
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #renew(): Promise<Version> {
    const { root, handlerOptions, startMs } = this.#deps;
    const module = await this.#deps.serverModule();
    if (this.#current?.module === module) return this.#current;
    await this.#endCurrent();
    const handler = handlerOf(module, handlerOptions, root);
    const hooks = await handler.lifecycle();
    // The developer's terminal and page show the error by `signals`.
    await runOnStart(hooks, { withinMs: startMs, signals: handlerOptions.signals, warn: () => undefined });
    this.#current = { module, handler, hooks, requests: new Set() };
    return this.#current;
  }

  async #endCurrent(): Promise<void> {
    const ending = this.#current;
    this.#current = undefined;
    const { stopMs, warn, handlerOptions } = this.#deps;
    if (ending) handlerOptions.streams.endAll("changed");
    if (!ending?.hooks.onStop) return;
    const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, stopMs);
    const idle = Promise.all(ending.requests).then(() => handlerOptions.after.idle());
    await Promise.race([idle, timeIsUp]);
    clearTimeout(timer);
    await runOnStop(ending.hooks, { withinMs: stopMs, signals: handlerOptions.signals, warn });
  }
}
