import { messageOf } from "#errors";
import type { LifecycleHook, LifecycleHooks } from "#pages";
import type { ErrorPlace, ServerSignals } from "#signals";
import { hostErrors } from "../errors.ts";

export interface HookDeps {
  /** Time limit of the hook. */
  readonly withinMs: number;
  readonly signals: Pick<ServerSignals, "errorCaught">;
  readonly warn: (sentence: string, error?: unknown) => void;
}

/** Runs `onStart`. Throws if it fails or takes too long: an application without its resources must take no requests. */
export async function runOnStart({ onStart }: LifecycleHooks, { withinMs, signals, warn }: HookDeps): Promise<void> {
  const end = await runHook(onStart, withinMs);
  if (end.kind === "ended") return;
  if (end.kind === "late") {
    const late = hostErrors.startTooLong(withinMs / 1_000);
    await report(late, "start", signals);
    throw late;
  }
  const digest = await report(end.error, "start", signals);
  warn(`onStart of src/lifecycle.server.ts failed${shown(digest)}:`, end.error);
  throw hostErrors.startFailed(messageOf(end.error), end.error);
}

/** Runs `onStop`. Never rejects: the process ends in any case. */
export async function runOnStop(
  { onStop }: LifecycleHooks,
  { withinMs, signals, warn }: HookDeps,
): Promise<"finished" | "cut"> {
  const end = await runHook(onStop, withinMs);
  if (end.kind === "ended") return "finished";
  if (end.kind === "late") {
    warn(`onStop of src/lifecycle.server.ts did not end in its ${seconds(withinMs)} s. It is not waited for.`);
    return "cut";
  }
  const digest = await report(end.error, "stop", signals);
  warn(`onStop of src/lifecycle.server.ts failed${shown(digest)}:`, end.error);
  return "finished";
}

type HookEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "late" };

async function runHook(hook: LifecycleHook | undefined, withinMs: number): Promise<HookEnd> {
  if (!hook) return { kind: "ended" };
  const stop = new AbortController();
  const { promise: late, resolve: isLate } = Promise.withResolvers<HookEnd>();
  const timer = setTimeout(() => {
    // First, because a hook that respects its signal throws for it.
    isLate({ kind: "late" });
    stop.abort(new Error("The time of this hook is up."));
  }, withinMs);
  const ended = (async (): Promise<HookEnd> => {
    try {
      await hook({ signal: stop.signal });
      return { kind: "ended" };
    } catch (error) {
      return { kind: "failed", error };
    }
  })();
  const end = await Promise.race([ended, late]);
  clearTimeout(timer);
  return end;
}

async function report(error: unknown, during: ErrorPlace["during"], signals: HookDeps["signals"]): Promise<string> {
  const receipt = signals.errorCaught(error, { side: "server", during });
  if (receipt.kind === "unrecorded") return "";
  await receipt.durable;
  return receipt.digest;
}

function shown(digest: string): string {
  return digest === "" ? "" : ` (${digest})`;
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
