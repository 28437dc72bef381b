import type { BrowserLimits } from "../../limits.ts";
import { type NavigationSnapshot, pendingState } from "../../react/browser-runtime.ts";
import type { PageAnswer } from "../data/page-answer.ts";
import type { NavigationState } from "../navigation/navigation-events.ts";
import { setTimer } from "../set-timer.ts";
import { showConnectionLost, showPending } from "./signs.ts";

/** The newest form that is being sent. */
export interface PendingForm {
  /** Address of the action. */
  target: string;
  form: FormData;
  startedAt: number;
}

/**
 * Shows pending navigations and forms, and publishes their state to hooks. Repeated events without a visible difference
 * have no effect.
 */
export class PendingSigns {
  readonly #limits: Pick<BrowserLimits, "pendingSignMs">;
  readonly #now: () => number;
  readonly #retry: () => void;
  #cancel: (() => void) | undefined;
  #navigation: NavigationSnapshot = { state: "idle" };
  #form: PendingForm | undefined;

  constructor(limits: Pick<BrowserLimits, "pendingSignMs">, now: () => number, retry: () => void) {
    this.#limits = limits;
    this.#now = now;
    this.#retry = retry;
  }

  changed(state: NavigationState<PageAnswer>): void {
    this.#navigation = toSnapshot(state);
    this.#show();
  }

  formChanged(form: PendingForm | undefined): void {
    this.#form = form;
    this.#show();
  }

  /** A pending navigation takes precedence over a pending form. */
  #show(): void {
    const isIdle = this.#navigation.state === "idle";
    const next: NavigationSnapshot = isIdle && this.#form ? { state: "submitting", ...this.#form } : this.#navigation;
    const before = pendingState.read();
    if (isSameSnapshot(before, next)) return;
    this.#cancel?.();
    if (next.state === "idle" || next.state === "held") showPending(false);
    else {
      const left = next.startedAt + this.#limits.pendingSignMs - this.#now();
      this.#cancel = setTimer(() => showPending(true), left);
    }
    if (next.state === "held" || before.state === "held")
      showConnectionLost(next.state === "held" ? "page" : undefined, this.#retry);
    pendingState.write(next);
  }
}

function toSnapshot(state: NavigationState<PageAnswer>): NavigationSnapshot {
  if (state.kind === "idle") return { state: "idle" };
  const kind = state.kind === "held" || state.kind === "leaving" ? state.kind : "loading";
  return { state: kind, target: state.target.to, startedAt: state.startedAt };
}

function isSameSnapshot(one: NavigationSnapshot, other: NavigationSnapshot): boolean {
  if (one.state === "idle" || other.state === "idle") return one.state === other.state;
  return one.state === other.state && one.target === other.target && one.startedAt === other.startedAt;
}
