import type { SubmissionLimits } from "../../submission-limits.ts";
import type { Freshness } from "../data/page-freshness.ts";
import type {
  Discarded,
  Phase,
  Submission,
  SubmissionEffect,
  SubmissionEnd,
  SubmissionEvent,
  Submissions,
  SubmissionsKnown,
  SubmissionsStepped,
} from "./submission-events.ts";

/**
 * All open submissions as one state machine: `stepSubmissions` takes an event and returns the next state and the
 * effects. It is pure, so that a model can try all interleavings of submits, responses, losses, questions, navigations
 * and deadlines (`submission-record.model.test.ts`).
 *
 *   waiting    → sending                      first of its form, and fewer than `atOnce` are busy
 *   sending    → loading → settled            response; its page follows
 *              → following → settled          response is a redirect, and the visitor is still there
 *              → querying                     the response is lost, or the deadline has passed
 *   querying   → settled, held, unsure        the server knows the outcome, is unreachable, or does not know
 *   held       → querying                     after `retryMs`, or when the connection is back
 *   unsure     → sending                      only when the visitor agrees
 *
 * Nothing is sent twice without the visitor's consent, which a form of an earlier visit has if its action has `keeps`.
 * A fetcher with `retry` has it for what the server has not received.
 * A navigation ends no submission. Before an outcome is shown, everything that it puts in doubt is dropped.
 */
export function stepSubmissions<Outcome extends SubmissionEnd>(
  before: SubmissionsKnown<Outcome>,
  event: SubmissionEvent<Outcome>,
  now: number,
  limits: RecordLimits,
): SubmissionsStepped<Outcome> {
  const work = new Step<Outcome>(before, now, limits);
  // Deadlines are absolute and are applied before the event, so a busy main thread postpones nothing.
  work.overdue();
  work.react(event);
  work.sendWaiting();
  return { state: work.state, page: work.page, effects: work.effects };
}

export type RecordLimits = Pick<SubmissionLimits, "silenceMs" | "queryMs" | "workMs" | "pollMs" | "retryMs" | "atOnce">;

/** When the driver must dispatch a `tick`, if nothing else happens. */
export function submissionsDueAt(state: Submissions): number {
  const due = state.open.map(({ phase }) => ("dueAt" in phase ? phase.dueAt : Number.POSITIVE_INFINITY));
  return Math.min(Number.POSITIVE_INFINITY, ...due);
}

/** Whether a submission is pending that may change the page or deliver it: until then the page is not fetched again. */
export function isBusy(state: Submissions): boolean {
  return state.open.some(occupies);
}

/** Whether it uses a connection. */
function occupies({ phase }: Submission): boolean {
  return phase.kind === "sending" || phase.kind === "querying" || phase.kind === "loading";
}

function isStuck({ phase }: Submission): boolean {
  return phase.kind === "held" || phase.kind === "unsure";
}

/** One step in progress. */
class Step<Outcome extends SubmissionEnd> {
  state: Submissions<Outcome>;
  page: Freshness;
  readonly effects: SubmissionEffect<Outcome>[] = [];
  readonly #now: number;
  readonly #limits: RecordLimits;

  constructor({ state, page }: SubmissionsKnown<Outcome>, now: number, limits: RecordLimits) {
    this.state = state;
    this.page = page;
    this.#now = now;
    this.#limits = limits;
  }

  overdue(): void {
    for (const one of this.state.open) {
      const { phase } = one;
      if (!("dueAt" in phase) || this.#now < phase.dueAt) continue;
      switch (phase.kind) {
        case "sending":
          if (this.#now >= phase.capAt) this.#lose(one);
          else if (phase.queried) this.#unreachable(one);
          else this.#put(one, { ...phase, queried: true, dueAt: this.#now + this.#limits.queryMs }, query(one, false));
          break;
        case "querying":
          if (phase.paused) this.#query(one);
          else this.#unreachable(one);
          break;
        case "held":
          this.#query(one);
          break;
        case "loading":
          // The action has run. Its page has to be fetched separately.
          this.effects.push({ kind: "abort", id: one.id });
          this.#end(one, phase.outcome);
          break;
      }
    }
  }

  react(event: SubmissionEvent<Outcome>): void {
    switch (event.kind) {
      case "pressed":
        return this.#press(event);
      case "resumed":
        return this.#resume(event);
      case "online":
        for (const one of this.state.open) if (one.phase.kind === "held") this.#query(one);
        return;
      case "navigation-started":
      case "navigation-committed":
      case "navigation-abandoned":
        for (const one of this.state.open) if (one.phase.kind === "following") this.#end(one, one.phase.outcome);
        return;
      case "tick":
        return;
      default: {
        // Events for a submission that has already ended are ignored.
        const one = this.state.open.find(({ id }) => id === event.id);
        if (one) this.#progress(one, event);
      }
    }
  }

  /** Sends submissions of one form in order and those of different forms in parallel, up to `atOnce`. */
  sendWaiting(): void {
    for (const one of this.state.open) {
      const isFirst =
        one.calls === "parallel" || !this.state.open.some(({ id, slot }) => id < one.id && slot === one.slot);
      const busy = this.state.open.filter(occupies).length;
      if (one.phase.kind === "waiting" && isFirst && busy < this.#limits.atOnce) this.#send(one);
    }
  }

  #press({ slot, body, uploadMs, calls, retry }: Extract<SubmissionEvent<Outcome>, { kind: "pressed" }>): void {
    const last = this.state.open.findLast((one) => one.slot === slot);
    if (last && last.body === body && !last.unwanted) {
      // The same form twice is one submission. If the visitor was asked about it, this counts as consent.
      if (isStuck(last)) this.#again(last);
      return;
    }
    const earlier = this.state.open.filter((one) => one.slot === slot);
    const pressed = this.#tick();
    this.#add({ slot, body, pageNumber: this.page.pageNumber, pressed, sent: 0, uploadMs, calls, retry });
    if (calls === "replace")
      for (const one of earlier) if (one.phase.kind === "waiting" || isStuck(one)) this.#giveUp(one);
    // A new submission of this form replaces the one the visitor was asked about.
    if (calls === "queue" && !retry && last && isStuck(last)) this.#giveUp(last);
  }

  /** Continues a submission of an earlier document. Its action may have run. */
  #resume({ slot, body }: Extract<SubmissionEvent<Outcome>, { kind: "resumed" }>): void {
    this.#change(false);
    const sent = this.#tick();
    const one = this.#add({
      slot,
      body,
      pageNumber: 0,
      pressed: sent,
      sent,
      uploadMs: 0,
      calls: "queue",
      retry: false,
    });
    this.#query({ ...one, consent: body !== "" });
  }

  #add(pressed: Omit<Submission<Outcome>, "id" | "consent" | "unwanted" | "phase">): Submission<Outcome> {
    const { nextId: id, open } = this.state;
    const one = { id, ...pressed, consent: false, unwanted: false, phase: waiting };
    this.state = { nextId: id + 1, open: [...open, one] };
    return one;
  }

  #progress(one: Submission<Outcome>, event: Extract<SubmissionEvent<Outcome>, { id: number }>): void {
    const { phase } = one;
    switch (event.kind) {
      case "alive":
        if (phase.kind === "sending") this.#listen(one, phase);
        if (phase.kind === "loading") this.#put(one, { ...phase, dueAt: this.#now + this.#limits.silenceMs });
        return;
      case "answered":
        if (phase.kind === "sending" || phase.kind === "querying") this.#answered(one, event);
        return;
      case "loaded":
        if (phase.kind === "loading") this.#loaded(one, phase, event.ok);
        return;
      case "lost":
        if (phase.kind === "sending") this.#lose(one);
        if (phase.kind === "loading") this.#end(one, phase.outcome);
        return;
      case "replied":
        return this.#replied(one, event.state);
      case "again":
        if (isStuck(one) && !one.unwanted) this.#again(one);
        return;
      case "discard":
        if (!occupies(one) && phase.kind !== "following") this.#giveUp(one);
        return;
    }
  }

  #replied(one: Submission<Outcome>, reported: Extract<SubmissionEvent, { kind: "replied" }>["state"]): void {
    const { phase } = one;
    if (phase.kind === "sending" && phase.queried) {
      // Its request is still pending; only an unreachable server is a reason to give it up.
      if (reported === "unreachable") this.#unreachable(one);
      else this.#listen(one, phase);
    }
    if (phase.kind !== "querying") return;
    switch (reported) {
      case "unreachable":
        return this.#unreachable(one);
      case "running":
        return this.#put(one, { kind: "querying", runs: true, paused: true, dueAt: this.#now + this.#limits.pollMs });
      case "cannot-say":
        // It may have run at any time until now.
        this.#change(false);
    }
    if (one.unwanted) this.#end(one, { kind: "discarded" });
    else if (reported === "not-seen" && one.consent) this.#put(one, waiting);
    else this.#put(one, { kind: "unsure", received: reported === "not-seen" ? "no" : "unknown" });
  }

  #answered(one: Submission<Outcome>, answer: Extract<SubmissionEvent<Outcome>, { kind: "answered" }>): void {
    const { outcome, ran, session, page, names } = answer;
    const { changed, asOf: shownAsOf } = this.page;
    const others = this.state.open.some(({ id, sent }) => id !== one.id && sent > 0);
    // Only a successful action that declares to change nothing leaves everything as it is.
    if (ran || outcome.kind !== "done") this.#change(session, names);
    // An action that did not run did not change the page either.
    if (!ran && shownAsOf >= changed) this.page = { ...this.page, asOf: this.page.clock };
    // The page was loaded after its own action. Whether it was loaded after parallel ones is unknown.
    const asOf = changed > one.sent || others ? one.sent : this.page.clock;
    if (outcome.kind === "redirected" && this.#isStillAt(one)) {
      const navigating = this.#tick();
      this.page = { ...this.page, navigating };
      this.#put(one, { kind: "following", outcome }, { kind: "navigate", id: one.id, to: outcome.to });
    } else if (page) {
      this.#put(one, { kind: "loading", outcome, asOf, dueAt: this.#now + this.#limits.silenceMs });
    } else {
      if (one.phase.kind === "sending") this.effects.push({ kind: "abort", id: one.id });
      this.#end(one, outcome);
    }
  }

  /** Whether the visitor has neither left the page nor started a navigation since submitting. */
  #isStillAt({ pageNumber, pressed }: Submission<Outcome>): boolean {
    const { navigating } = this.page;
    return pageNumber === this.page.pageNumber && (navigating === undefined || navigating < pressed);
  }

  #loaded(
    one: Submission<Outcome>,
    { outcome, asOf }: Extract<Phase<Outcome>, { kind: "loading" }>,
    ok: boolean,
  ): void {
    if (ok && one.pageNumber === this.page.pageNumber && asOf > this.page.asOf) {
      this.page = { ...this.page, asOf };
      this.effects.push({ kind: "show", id: one.id });
    }
    this.#end(one, outcome);
  }

  #send(one: Submission<Outcome>): void {
    const { workMs, silenceMs } = this.#limits;
    const uploadedAt = this.#now + one.uploadMs;
    const capAt = uploadedAt + workMs;
    const sent = { ...one, sent: this.#tick(), consent: one.retry };
    const dueAt = this.#now + silenceMs;
    this.#put(sent, { kind: "sending", dueAt, capAt, uploadedAt, queried: false }, { kind: "send", id: one.id });
  }

  #listen(one: Submission<Outcome>, phase: Extract<Phase, { kind: "sending" }>): void {
    this.#put(one, { ...phase, queried: false, dueAt: Math.min(phase.capAt, this.#now + this.#limits.silenceMs) });
  }

  #query(one: Submission<Outcome>): void {
    const runs = one.phase.kind === "querying" && one.phase.runs;
    const dueAt = this.#now + this.#limits.queryMs;
    this.#put(one, { kind: "querying", runs, paused: false, dueAt }, query(one, true));
  }

  /** The response will not arrive. From now on the action may have run. */
  #lose(one: Submission<Outcome>): void {
    this.#change(false);
    this.effects.push({ kind: "abort", id: one.id });
    this.#query(one);
  }

  #unreachable(one: Submission<Outcome>): void {
    const { phase } = one;
    if (phase.kind === "sending") {
      // A slow upload may delay the question too.
      if (this.#now < phase.uploadedAt) return this.#listen(one, phase);
      this.#change(false);
      this.effects.push({ kind: "abort", id: one.id });
    }
    this.#put(one, { kind: "held", dueAt: this.#now + this.#limits.retryMs });
  }

  /** A submission that may have been received ends only after the server has reported on it. */
  #giveUp(one: Submission<Outcome>): void {
    if (one.phase.kind === "held") this.#put({ ...one, consent: false, unwanted: true }, one.phase);
    else this.#end(one, { kind: "discarded" });
  }

  #again(one: Submission<Outcome>): void {
    if (one.body === "") return;
    if (one.phase.kind === "held") this.#put({ ...one, consent: true }, one.phase);
    else this.#put(one, waiting);
  }

  #change(session: boolean, names?: readonly string[]): void {
    const since = this.page.changed;
    const changed = this.#tick();
    this.page = { ...this.page, changed, retryAt: 0 };
    this.effects.push({ kind: "forget", session, ...(names && { only: { names, since } }) });
  }

  #end({ id, slot, calls }: Submission<Outcome>, outcome: Outcome | Discarded): void {
    const open = this.state.open.filter((other) => other.id !== id);
    this.state = { ...this.state, open };
    const newest = open.findLast((other) => other.slot === slot && other.id > id);
    if (newest && calls === "replace" && outcome.kind === "discarded")
      this.effects.push({ kind: "replaced", id, by: newest.id });
    else this.effects.push({ kind: "settled", id, outcome });
  }

  #put(one: Submission<Outcome>, phase: Phase<Outcome>, effect?: SubmissionEffect<Outcome>): void {
    const open = this.state.open.map((other) => (other.id === one.id ? { ...one, phase } : other));
    this.state = { ...this.state, open };
    if (effect) this.effects.push(effect);
  }

  #tick(): number {
    this.page = { ...this.page, clock: this.page.clock + 1 };
    return this.page.clock;
  }
}

const waiting: Phase<never> = { kind: "waiting" };

function query({ id }: Submission, cancel: boolean): SubmissionEffect<never> {
  return { kind: "query", id, cancel };
}
