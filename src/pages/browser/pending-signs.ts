import type { BrowserLimits } from "../limits.ts";
import { type NavigationSnapshot, pendingState } from "../react/browser-runtime.ts";
import type { NavigationState } from "./navigation-events.ts";
import type { PageAnswer } from "./page-answer.ts";
import { setTimer } from "./set-timer.ts";
import { showConnectionLost, showPending } from "./signs.ts";

/** Shows and tells what is pending, once for each thing that is: a sign of life from the server changes nothing to see. */
export class PendingSigns {
  readonly #limits: Pick<BrowserLimits, "pendingSignMs">;
  readonly #now: () => number;
  readonly #retry: () => void;
  #cancel: (() => void) | undefined;

  constructor(limits: Pick<BrowserLimits, "pendingSignMs">, now: () => number, retry: () => void) {
    this.#limits = limits;
    this.#now = now;
    this.#retry = retry;
  }

  changed(state: NavigationState<PageAnswer>): void {
    const said = toSnapshot(state);
    const before = pendingState.read();
    if (isSameSnapshot(before, said)) return;
    this.#cancel?.();
    if (state.kind === "idle" || state.kind === "held") showPending(false);
    else {
      const left = state.startedAt + this.#limits.pendingSignMs - this.#now();
      this.#cancel = setTimer(() => showPending(true), left);
    }
    if (said.state === "held" || before.state === "held")
      showConnectionLost(said.state !== "held" ? undefined : said.form ? "form" : "page", this.#retry);
    pendingState.write(said);
  }
}

function toSnapshot(state: NavigationState<PageAnswer>): NavigationSnapshot {
  if (state.kind === "idle") return { state: "idle" };
  const { to, body } = state.target;
  const said = state.kind === "held" || state.kind === "leaving" ? state.kind : body ? "submitting" : "loading";
  return { state: said, target: body?.action ?? to, startedAt: state.startedAt, form: body?.form };
}

function isSameSnapshot(one: NavigationSnapshot, other: NavigationSnapshot): boolean {
  if (one.state === "idle" || other.state === "idle") return one.state === other.state;
  return one.state === other.state && one.target === other.target && one.startedAt === other.startedAt;
}
