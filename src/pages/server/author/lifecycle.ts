import * as pageErrors from "../../errors.ts";
import type { ServerModule } from "../../parts.ts";

/** What `onStart` and `onStop` know about their run. */
export interface LifecycleContext {
  /** Aborted when the time of the hook is up. */
  readonly signal: AbortSignal;
}

/**
 * The export `onStart` or `onStop` of `src/lifecycle.server.ts`. A process runs the first before it takes requests, and
 * the second after its last request.
 *
 * @example export const onStop: LifecycleHook = async () => pool.end();
 */
export type LifecycleHook = (context: LifecycleContext) => void | Promise<void>;

/** The hooks that an application has. */
export interface LifecycleHooks {
  readonly onStart?: LifecycleHook;
  readonly onStop?: LifecycleHook;
}

/** Reads the exports of `src/lifecycle.server.ts`. A misspelled one would never run, so others are refused. */
export function readLifecycle(module: ServerModule): LifecycleHooks {
  for (const [name, value] of Object.entries(module)) {
    if ((name === "onStart" || name === "onStop") && typeof value === "function") continue;
    throw pageErrors.wrongServerExport(
      "src/lifecycle.server.ts",
      name,
      typeof value,
      "a function with the name onStart or onStop; other exports belong elsewhere",
    );
  }
  return module;
}
