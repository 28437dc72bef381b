import path from "node:path";
import { messageOf } from "#errors";
import type { HandlerOptions, LifecycleHooks, PageHandler, RouteContract } from "#pages";
import { openBuiltPages } from "../built-pages.ts";
import { runOnStart, runOnStop } from "../lifecycle/hooks.ts";
import { linkPackages } from "./keep-build.ts";
import type { KeptBuild } from "./release-messages.ts";

export interface BuildBeforeDeps {
  build: KeptBuild;
  /** The application's folder. */
  root: string;
  /** What the pages of that build get from the host. */
  options: HandlerOptions;
  /** The build that is served. */
  current: Pick<PageHandler, "contractOf">;
  startMs: number;
  warn: (sentence: string, error?: unknown) => void;
}

/** Whether the build before can answer a route, or why it cannot. */
export type Usable = { kind: "usable"; pages: PageHandler } | { kind: "unusable"; why: string };

/** The build of the release before. Its code is loaded when the first route needs it. */
export class BuildBefore {
  readonly name: string;
  readonly #deps: BuildBeforeDeps;
  readonly #routes = new Map<string, Promise<Usable>>();
  #pages: Promise<PageHandler> | undefined;
  #hooks: LifecycleHooks = {};

  constructor(deps: BuildBeforeDeps) {
    this.#deps = deps;
    this.name = deps.build.name;
  }

  /** Decided once for each route. Never rejects. */
  forRoute(route: string): Promise<Usable> {
    const known = this.#routes.get(route);
    if (known) return known;
    const usable = this.#compare(route);
    this.#routes.set(route, usable);
    return usable;
  }

  async close(time: { endsAt: number }): Promise<void> {
    const { options, warn } = this.#deps;
    await this.#pages?.catch(() => undefined);
    await runOnStop(this.#hooks, { withinMs: time.endsAt - performance.now(), signals: options.signals, warn });
  }

  async #compare(route: string): Promise<Usable> {
    try {
      this.#pages ??= this.#open();
      const pages = await this.#pages;
      const [now, before] = await Promise.all([this.#deps.current.contractOf?.(route), pages.contractOf?.(route)]);
      const why = whyNot(now, before, this.name);
      return why === undefined ? { kind: "usable", pages } : { kind: "unusable", why };
    } catch (error) {
      return { kind: "unusable", why: `${this.name} cannot be loaded: ${messageOf(error)}` };
    }
  }

  async #open(): Promise<PageHandler> {
    const { build, root, options, startMs, warn } = this.#deps;
    await linkPackages(path.dirname(path.dirname(build.folder)), root);
    const pages = await openBuiltPages(build.folder, options);
    const hooks = await pages.lifecycle();
    await runOnStart(hooks, { withinMs: startMs, signals: options.signals, warn });
    this.#hooks = hooks;
    return pages;
  }
}

function whyNot(now: RouteContract | undefined, before: RouteContract | undefined, name: string): string | undefined {
  if (before?.kind === "refused" || now?.kind === "refused") return "it says heals = false";
  if (before?.kind !== "contract") return `${name} does not have it`;
  // None of its code can run, so it has nothing that the build before would have to keep.
  if (now?.kind === "unreadable") return undefined;
  if (now?.kind !== "contract") return "its contract is not known";
  const changed = partNames.filter(([part]) => now.parts[part] !== before.parts[part]).map(([, shown]) => shown);
  return changed.length > 0 ? `its ${changed.join(", ")} changed` : undefined;
}

const partNames = [
  ["kind", "kind"],
  ["folders", "layouts"],
  ["guards", "guards"],
  ["actions", "actions"],
  ["methods", "methods"],
] as const;
