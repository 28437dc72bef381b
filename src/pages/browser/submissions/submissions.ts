import { flushSync } from "react-dom";
import { type CarriedSubmission, type EarlyInput, inputGlobal } from "../../early-input.ts";
import { actionMarker, answeredCookie, type OutcomeLine, slotField } from "../../page-data.ts";
import type { Press } from "../../react/browser-runtime.ts";
import { type FormEnd, type Posted, slotName } from "../../react/slots.ts";
import { type SubmissionLimits, submissionLimits } from "../../submission-limits.ts";
import type { PageKeeps, SubmissionOutcome } from "../../view.ts";
import type { Changes } from "../changes.ts";
import type { PageAnswer } from "../data/page-answer.ts";
import type { PageSource } from "../data/page-source.ts";
import type { KnownPage } from "../data/shown-loads.ts";
import type { EndedForm } from "../drafts/drafts.ts";
import type { CodeLoader } from "../load-code.ts";
import type { NavigationTarget } from "../navigation/navigation-events.ts";
import { empty, formNameOf, formsAt } from "../page-forms.ts";
import type { setTimer } from "../set-timer.ts";
import type { Screen } from "../show/screen.tsx";
import { takeCarried, writeCarried } from "./carried-submissions.ts";
import { fetchOutcome, readOutcome, type SendDeps, type SubmissionAnswer, sendSubmission } from "./send-submission.ts";
import { endSpan, isEdited, newSent, nothing, type Sent } from "./sent-submission.ts";
import { bodyBytes, bodyOf, bodyText, newKey } from "./submission-body.ts";
import { SubmissionDisplay, type SubmissionDisplayDeps, type UnshownCall } from "./submission-display.ts";
import type { SubmissionEffect, SubmissionEvent, Submissions } from "./submission-events.ts";
import { isBusy, stepSubmissions, submissionsDueAt } from "./submission-record.ts";

export interface SubmissionsDeps extends SendDeps, SubmissionDisplayDeps {
  submissionLimits?: SubmissionLimits;
  setTimer: typeof setTimer;
  changes: Changes;
  screen: Pick<Screen, "url" | "page">;
  code: Pick<CodeLoader, "view">;
  source: Pick<PageSource, "shownBy" | "outdate">;
  /** The page on screen, as far as it is current. */
  known(): KnownPage | undefined;
  /** Shows new data of the page in its place, and what `along` writes in the same frame. */
  swap(page: PageAnswer, along?: () => void): void;
  /** Fetches the page again if that is due. */
  settle(): void;
  /** Navigates to the redirect of an action, or reloads the page because the server has another build. */
  start(target: NavigationTarget): void;
  /** Whether the page holds typed text that a reload would lose. */
  wouldLoseText(): boolean;
  /** Called when a submission of an action with `keeps` is sent, and with its outcome when it has ended. */
  stored(sent: Sent, outcome?: Posted): void;
  /** Called when a form's submission has ended. */
  ended(form: EndedForm, outcome: Posted): void;
  /** The runtime itself threw. */
  lost(error: unknown): void;
}

type State = Submissions<SubmissionOutcome>;
type DriverEvent = SubmissionEvent<SubmissionOutcome>;
type Effect = SubmissionEffect<SubmissionOutcome>;

/**
 * Sends forms and fetchers, several at once. Events go in, the record (`submission-record.ts`) decides, and this class
 * executes the effects.
 */
export class SubmissionDriver {
  readonly #deps: SubmissionsDeps;
  readonly #limits: SubmissionLimits;
  readonly #display: SubmissionDisplay;
  readonly #sent = new Map<number, Sent>();
  readonly #unshown: UnshownCall[] = [];
  readonly #waiting: { event: DriverEvent; sent?: Sent }[] = [];
  /**
   * The last failure of each form: sending the same again is another attempt with the same key, which the action can
   * recognize.
   */
  readonly #failed = new Map<string, Sent>();
  /** For each outcome: the index of its form among those of the action, and the outcome line. */
  readonly #details = new WeakMap<FormEnd, { nth: number; text: string }>();
  /** Forms of this tab may have changed something since the page on screen was loaded. */
  #hasChanged = false;
  /** The server has another build, so the page cannot be fetched again. */
  #isOutdated = false;
  #state: State = { nextId: 1, open: [] };
  #running = false;
  /** The driver itself is starting the navigation to an action's redirect. */
  #isRedirecting = false;
  #cancelTimer: () => void = nothing;

  constructor(deps: SubmissionsDeps) {
    this.#deps = deps;
    this.#limits = deps.submissionLimits ?? submissionLimits;
    this.#display = new SubmissionDisplay(deps, this.#sent, (kind, id) => this.dispatch({ kind, id }), this.#unshown);
  }

  get isBusy(): boolean {
    return isBusy(this.#state);
  }

  submit(press: Press): Promise<Posted> {
    const { entries, screen, clock } = this.#deps;
    const address = new URL(press.href, screen.url);
    const shown = new URL(screen.url);
    const { pathname } = address;
    const marker = pathname.lastIndexOf(actionMarker);
    const isElsewhere = pathname.slice(0, marker) !== shown.pathname.replace(/\/$/, "");
    // Keeps the current search, so that the response contains the same page.
    if (!isElsewhere && address.search === "") address.search = shown.search;
    // Forms that the application wrote itself have no slot: all forms of one action share one.
    const action = decodeURIComponent(pathname.slice(marker + actionMarker.length));
    const slot = press.slot ?? String(press.form.get(slotField) ?? action);
    const name = slotName(pathname, slot);
    const body = bodyText(press.form);
    const bytes = bodyBytes(press.form);
    const typed = press.element && bodyText(new FormData(press.element));
    const nth = press.element ? formsAt(pathname).indexOf(press.element) : -1;
    const before = this.#failed.get(name);
    const { key, attempt } = before?.body === body ? before : { key: newKey(), attempt: 0 };
    // Restoring a draft may have changed the form after the submit, while this code was loading.
    const isEdited = press.element !== undefined && bodyText(new FormData(press.element, press.submitter)) !== body;
    const where = { name, nth, slot, address: address.href, entry: entries.place };
    const known = { ...where, key, attempt, pressedAt: Date.now(), isEdited };
    const { view } = screen.page;
    const isKept = "keeps" in view && !isElsewhere && view.keeps?.actions.includes(action);
    const keeps = isKept ? view.keeps : undefined;
    const from = isElsewhere ? shown.pathname + shown.search : undefined;
    const sent = newSent(known, { press: { ...press, from }, body, bytes, typed, startedAt: clock.now(), keeps });
    const uploadMs = (bytes / this.#limits.uploadBytesPerSecond) * 1_000;
    const { calls = "queue", retry = calls === "replace" } = press;
    this.dispatch({ kind: "pressed", slot: name, body, uploadMs, calls, retry }, sent);
    return sent.promise;
  }

  /** The document is left. Its open submissions are taken over by the next document of this tab. */
  left(): void {
    const { entries, screen } = this.#deps;
    const shown = this.#isOutdated ? [...(entries.outcomesAt(entries.place) ?? [])] : [];
    const outcomes = shown.flatMap(([name, outcome]) => {
      const detail = this.#details.get(outcome);
      return detail ? [{ name, nth: detail.nth, text: detail.text }] : [];
    });
    const open = [...this.#sent.values()]
      .filter((sent) => sent.attempt > 0 && !sent.isStored)
      .map((sent) => {
        const { name, nth, slot, address, entry, key, attempt, pressedAt } = sent;
        return { name, nth, slot, address, entry, key, attempt, pressedAt, isEdited: isEdited(sent) };
      })
      .concat(postedByBrowser());
    if (outcomes.length + open.length > 0) writeCarried({ url: screen.url, outcomes, open });
  }

  /** The back/forward cache has restored the document with its state. */
  returned(): void {
    takeCarried();
    Reflect.deleteProperty(window, inputGlobal);
  }

  /** Handles events one at a time: an event dispatched by an effect waits for its turn. */
  dispatch(event: DriverEvent, sent?: Sent): void {
    this.#waiting.push(sent ? { event, sent } : { event });
    if (this.#running) return;
    this.#running = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#step(next.event, next.sent);
    this.#running = false;
    this.#supervise();
    this.#update();
    this.#deps.settle();
  }

  /** The visitor started a navigation (`navigation-started`), or one has ended. */
  navigated(kind: "navigation-started" | "navigation-committed" | "navigation-abandoned"): void {
    // A redirect of an action does not count as the visitor leaving.
    if (kind !== "navigation-started" || !this.#isRedirecting) this.dispatch({ kind });
    if (kind === "navigation-committed") {
      this.#isOutdated = false;
      this.#hasChanged = false;
      this.#unshown.length = 0;
      this.#findForms();
    }
  }

  /**
   * Assigns outcomes to forms by index: React's ids for forms differ between renderings, but Back shows the same forms.
   */
  #findForms(): void {
    const { entries } = this.#deps;
    const outcomes = entries.outcomesAt(entries.place);
    for (const [name, outcome] of [...(outcomes ?? [])]) {
      const forms = formsAt(name.split(" ", 1)[0] ?? "");
      const names = forms.map(formNameOf);
      const now = names[this.#details.get(outcome)?.nth ?? -1];
      if (now === undefined || names.includes(name)) continue;
      outcomes?.delete(name);
      outcomes?.set(now, outcome);
    }
    this.#update();
    this.#display.showBar(this.#state.open);
  }

  #step(event: DriverEvent, pressed: Sent | undefined): void {
    const { changes, clock } = this.#deps;
    const before = this.#state.nextId;
    const { state, page, effects } = stepSubmissions(
      { state: this.#state, page: changes.page },
      event,
      clock.now(),
      this.#limits,
    );
    this.#state = state;
    if (pressed) this.#remember(before, pressed);
    changes.page = page;
    for (const effect of effects) this.#doSafely(effect);
  }

  /** A repeated submit that the record merged with a pending one gets the same outcome. */
  #remember(id: number, pressed: Sent): void {
    if (this.#state.nextId > id) return void this.#sent.set(id, pressed);
    const same = this.#state.open.findLast(({ slot }) => slot === pressed.name);
    void this.#sent.get(same?.id ?? 0)?.promise.then(pressed.resolve);
  }

  #supervise(): void {
    this.#cancelTimer();
    const due = submissionsDueAt(this.#state);
    const { setTimer, clock } = this.#deps;
    this.#cancelTimer =
      due === Number.POSITIVE_INFINITY ? nothing : setTimer(() => this.dispatch({ kind: "tick" }), due - clock.now());
  }

  /** A failing effect must not prevent the following ones. */
  #doSafely(effect: Effect): void {
    try {
      this.#do(effect);
    } catch (error) {
      this.#deps.lost(error);
    }
  }

  #do(effect: Effect): void {
    if (effect.kind === "forget") return this.#deps.changes.publish(effect.session, effect.only);
    const sent = this.#sent.get(effect.id);
    if (!sent) return;
    switch (effect.kind) {
      case "send":
        return this.#send(effect.id, sent);
      case "query":
        return this.#query(effect.id, sent, effect.cancel);
      case "abort":
        return sent.stop();
      case "show":
        return this.#show(sent);
      case "navigate":
        return this.#follow(new URL(effect.to, this.#deps.screen.url).href);
      case "settled":
        return this.#settle(effect.id, sent, effect.outcome);
      case "replaced":
        return this.#replace(effect.id, sent, effect.by);
    }
  }

  #follow(to: string): void {
    this.#isRedirecting = true;
    this.#deps.start({ to, how: to === location.href ? "replace" : "push" });
    this.#isRedirecting = false;
  }

  #send(id: number, sent: Sent): void {
    const { press, bytes, address } = sent;
    const { signals, screen } = this.#deps;
    sent.attempt += 1;
    if (sent.keeps) this.#deps.stored(sent);
    if (press.element && !sent.span) {
      // Navigations have positive ids.
      const facts = { id: -id, from: screen.url, to: screen.url, kind: "submit" } as const;
      sent.span = signals.navigationStarted(facts);
    }
    sent.span?.dataRequested();
    const pendingBytes = [...this.#sent.values()].reduce((sum, other) => sum + (other === sent ? 0 : other.bytes), 0);
    const keepalive = bytes + pendingBytes <= this.#limits.keepaliveBytes;
    const headers = sent.span?.headers() ?? {};
    // The page that follows is the one on screen, unless the form belongs to another one.
    const known = press.from || sent.isResumed ? undefined : this.#deps.known();
    const request = { url: address, headers, body: bodyOf(press, sent), keepalive, meter: sent, known };
    sent.stop = sendSubmission(request, this.#deps, (answer) => this.#receive(id, sent, answer));
  }

  #receive(id: number, sent: Sent, answer: SubmissionAnswer): void {
    switch (answer.kind) {
      case "outcome":
        return this.#answered(id, sent, answer, answer.build);
      case "page": {
        const { page } = answer;
        if (!page) return this.dispatch({ kind: "loaded", id, ok: false });
        sent.page = page;
        void this.#deps.code.view(page.view).then(
          () => this.dispatch({ kind: "loaded", id, ok: true }),
          () => this.dispatch({ kind: "loaded", id, ok: false }),
        );
        return;
      }
      default:
        this.dispatch({ kind: answer.kind, id });
    }
  }

  /** `build` is undefined if the outcome was asked for separately: then no page follows. */
  #answered(id: number, sent: Sent, { line, text }: { line: OutcomeLine; text: string }, build?: string): void {
    const { outcome, ran, session, changed: names } = line;
    sent.text = text;
    sent.isOtherBuild = build !== undefined && build !== this.#deps.parts.build;
    if (sent.isOtherBuild) this.#deps.source.outdate();
    // The page was loaded for the session of the request, so it is fetched again if the session has changed.
    const isOwnBuild = build === this.#deps.parts.build;
    const isSent = line.page !== false && !sent.press.from;
    const page = isOwnBuild && ran && !session && outcome.kind !== "redirected" && isSent;
    // A complete response need not be stopped.
    if (build !== undefined && !page) sent.stop = nothing;
    this.dispatch({ kind: "answered", id, outcome, ran, session, page, names: isOwnBuild ? names : undefined });
  }

  #query(id: number, sent: Sent, cancel: boolean): void {
    sent.queries += 1;
    const { queries, key, attempt, address } = sent;
    void fetchOutcome(address, { key, attempt, cancel }, this.#limits.queryMs).then((reply) => {
      if (queries !== sent.queries) return;
      if (reply.state === "ended") this.#answered(id, sent, reply);
      else this.dispatch({ kind: "replied", id, state: reply.state });
    });
  }

  #show({ page, stop, name }: Sent): void {
    if (!page) return;
    const { asOf, changed } = this.#deps.changes.page;
    page.asOf = asOf;
    this.#deps.source.shownBy(stop);
    // If others are pending, the outcome that follows says what remains.
    const isLast = asOf >= changed && !this.#state.open.some(({ slot }) => slot === name);
    this.#deps.swap(page, isLast ? () => this.#update() : undefined);
  }

  /** The page on screen has changed, or is about to change in the same frame. */
  pageChanged(): void {
    this.#update();
  }

  /** Calls of a fetcher leave together: when the page shows them all, and none is pending. */
  #update(): void {
    const { open } = this.#state;
    const { asOf } = this.#deps.changes.page;
    const still = this.#unshown.filter(({ changed, name }) => changed > asOf || open.some(({ slot }) => slot === name));
    this.#unshown.splice(0, Number.POSITIVE_INFINITY, ...still);
    this.#display.update(open);
  }

  #replace(id: number, sent: Sent, by: number): void {
    this.#sent.delete(id);
    if (sent.keeps) this.#deps.stored(sent, { kind: "discarded" });
    void this.#sent.get(by)?.promise.then(sent.resolve);
  }

  #settle(id: number, sent: Sent, outcome: Posted): void {
    const { entries } = this.#deps;
    this.#sent.delete(id);
    if (sent.keeps) this.#deps.stored(sent, outcome);
    if (outcome.kind === "failed") this.#failed.set(sent.name, sent);
    else this.#failed.delete(sent.name);
    if (outcome.kind !== "discarded") entries.outcomesAt(sent.entry)?.set(sent.name, outcome);
    const { changed } = this.#deps.changes.page;
    if (outcome.kind === "done" && sent.entry === entries.place)
      this.#unshown.push({ id, name: sent.name, form: sent.press.form, changed });
    this.#details.set(outcome, sent);
    // Shows the outcome and its page in one frame.
    flushSync(() => this.#findForms());
    this.#leaveForm(sent, outcome);
    endSpan(sent, outcome);
    sent.resolve(outcome);
    // After a refusal or an error the visitor stays with its message.
    this.#hasChanged ||= outcome.kind !== "invalid" && outcome.kind !== "failed";
    this.#isOutdated ||= outcome.kind === "done" && sent.isOtherBuild && sent.entry === entries.place;
    this.#renew();
  }

  /** The server has another build, so the page cannot be fetched again. */
  metOtherBuild(): void {
    // Changes by others are no reason to replace a page that the visitor is reading.
    this.#isOutdated ||= this.#hasChanged;
    this.#renew();
  }

  /** Reloads the page in the other build once all forms have ended, and carries over its outcomes and typed text. */
  #renew(): void {
    const { start } = this.#deps;
    // If a reload would lose typed text, the next click makes it instead.
    if (!this.#isOutdated || this.#state.open.length > 0 || this.#deps.wouldLoseText()) return;
    start({ to: location.href, how: "reload" });
  }

  /** Takes over from the previous document: outcomes to show, and submissions to ask about. */
  resume(): void {
    const { entries, screen } = this.#deps;
    const { url, outcomes, open } = takeCarried();
    for (const { name, nth, text } of url === screen.url ? outcomes : []) {
      const line = text === "" ? undefined : readOutcome(text);
      if (!line) continue;
      entries.outcomesAt(entries.place)?.set(name, line.outcome);
      this.#details.set(line.outcome, { nth, text });
    }
    for (const known of open) this.recover(known);
    this.#findForms();
  }

  /**
   * Continues a submission of an earlier document. With its form, it is sent again if the server has not received it.
   */
  recover(known: CarriedSubmission, form?: FormData, keeps?: PageKeeps): Sent {
    const press = { href: known.address, form: form ?? new FormData() };
    const body = form ? bodyText(form) : "";
    const bytes = bodyBytes(press.form);
    const startedAt = this.#deps.clock.now();
    const sent = newSent(known, { press, body, bytes, typed: undefined, startedAt, isResumed: true, keeps });
    this.dispatch({ kind: "resumed", slot: known.name, body }, sent);
    return sent;
  }

  /** Empties the form after success, or focuses the first invalid field. */
  #leaveForm(sent: Sent, outcome: Posted): void {
    const { press, name, nth, entry, pressedAt, isResumed = false } = sent;
    const form = press.element?.isConnected ? press.element : undefined;
    const edited = isEdited(sent);
    if (form && outcome.kind === "done" && !edited) empty(form);
    if (outcome.kind === "invalid") form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    const ended = { name, nth, place: entry, pressedAt, isEdited: edited, isResumed };
    if (press.element || isResumed) this.#deps.ended(ended, outcome);
  }
}

/** The forms that the browser itself has posted from this document and whose response has not arrived. */
function postedByBrowser(): CarriedSubmission[] {
  const { posted = {} }: Partial<EarlyInput> = Reflect.get(window, inputGlobal) ?? {};
  return Object.values(posted).filter(({ key }) => !`${document.cookie};`.includes(`${answeredCookie}=${key};`));
}
