import { createElement } from "react";
import { flushSync } from "react-dom";
import type { BrowserSignals, NavigationSignals } from "#signals";
import { type OutcomeLine, slotField } from "../../page-data.ts";
import type { Press } from "../../react/browser-runtime.ts";
import { type Posted, type Slot, slotName, slots } from "../../react/slots.ts";
import { type SubmissionLimits, submissionLimits } from "../../submission-limits.ts";
import type { SubmissionOutcome } from "../../view.ts";
import type { Changes } from "../changes.ts";
import type { EndedForm } from "../drafts/drafts.ts";
import type { HistoryEntries } from "../history-entries.ts";
import type { CodeLoader } from "../load-code.ts";
import type { NavigationTarget } from "../navigation/navigation-events.ts";
import type { PageAnswer } from "../page-answer.ts";
import { empty, formNameOf, formsAt } from "../page-forms.ts";
import type { PageSource } from "../page-source.ts";
import type { setTimer } from "../set-timer.ts";
import type { PendingForm } from "../show/pending-signs.ts";
import { type CarriedSubmission, takeCarried, writeCarried } from "./carried-submissions.ts";
import { askOutcome, readOutcome, type SendDeps, type SubmissionAnswer, sendSubmission } from "./send-submission.ts";
import { bodyBytes, bodyOf, bodyText, newKey } from "./submission-body.ts";
import type { Submission, SubmissionEffect, SubmissionEvent, Submissions } from "./submission-events.ts";
import { fillNotice, showNotice, type Words, wordsFor } from "./submission-notice.ts";
import { isBusy, stepSubmissions, submissionsDueAt } from "./submission-record.ts";

/** What of the tab is needed here. */
export interface SubmissionsDeps extends SendDeps {
  submissionLimits?: SubmissionLimits;
  setTimer: typeof setTimer;
  signals: BrowserSignals;
  changes: Changes;
  entries: HistoryEntries;
  screen: { url: string };
  code: Pick<CodeLoader, "view">;
  source: Pick<PageSource, "shownBy" | "outdate">;
  pending: { formChanged(form: PendingForm | undefined): void };
  /** Shows other data of the page in its place. */
  swap(page: PageAnswer): void;
  /** Asks for the page again where that is owed. */
  settle(): void;
  /**
   * Leads the visitor to where an action has sent them; or loads the page as a whole, because the server has another
   * build.
   */
  start(target: NavigationTarget): void;
  /** Something is typed in the page that would be lost with it. */
  wouldLoseText(): boolean;
  /** A form has ended. */
  ended(form: EndedForm, outcome: Posted): void;
  /** The runtime itself threw. */
  lost(error: unknown): void;
}

type State = Submissions<SubmissionOutcome>;
type Happening = SubmissionEvent<SubmissionOutcome>;
type Effect = SubmissionEffect<SubmissionOutcome>;

/** What the record need not know of a submission. */
interface Sent extends CarriedSubmission {
  press: Press;
  body: string;
  /** What the form had in it when it was pressed: whether it was edited since. */
  typed: string | undefined;
  bytes: number;
  startedAt: number;
  promise: Promise<Posted>;
  resolve(posted: Posted): void;
  span: NavigationSignals | undefined;
  stop: () => void;
  /** Only the newest question counts. */
  questions: number;
  /** Its outcome as it came, and whether another build wrote it. */
  text: string;
  isOtherBuild: boolean;
  page?: PageAnswer;
}

/**
 * Sends forms and fetchers, several at once. What happens goes in as events, the record (`submission-record.ts`)
 * decides, and what it decided is done here.
 */
export class SubmissionDriver {
  readonly #deps: SubmissionsDeps;
  readonly #limits: SubmissionLimits;
  readonly #sent = new Map<number, Sent>();
  readonly #waiting: { event: Happening; sent?: Sent }[] = [];
  /** The last failure of each form: the same once more is another attempt of it, so that the action can tell. */
  readonly #failed = new Map<string, Sent>();
  /** Of each outcome: which of the forms of its action it belongs to, and how it came. */
  readonly #places = new WeakMap<Posted, { nth: number; text: string }>();
  /** Forms of this tab may have changed something since the page that is shown came. */
  #hasChanged = false;
  /** That page cannot be asked for again: the server has another build. */
  #isOutdated = false;
  #state: State = { nextId: 1, open: [] };
  #slots = new Map<string, { from: string; outcome: unknown; slot: Slot }>();
  #running = false;
  /** The visitor is being led to where an action sends them. */
  #leads = false;
  #isLost = false;
  #cancelTimer: () => void = nothing;

  constructor(deps: SubmissionsDeps) {
    this.#deps = deps;
    this.#limits = deps.submissionLimits ?? submissionLimits;
  }

  get isBusy(): boolean {
    return isBusy(this.#state);
  }

  submit(press: Press): Promise<Posted> {
    const { entries, screen } = this.#deps;
    const address = new URL(press.href, screen.url);
    // The search stays the one that is shown, so that the answer shows the same page.
    if (address.search === "") address.search = new URL(screen.url).search;
    const { pathname } = address;
    // A form that the application has written itself has no name: all of its action are one.
    const slot = press.slot ?? String(press.form.get(slotField) ?? pathname.slice(pathname.lastIndexOf("/") + 1));
    const name = slotName(pathname, slot);
    const body = bodyText(press.form);
    const bytes = bodyBytes(press.form);
    const typed = press.element && bodyText(new FormData(press.element));
    const nth = press.element ? formsAt(pathname).indexOf(press.element) : -1;
    const before = this.#failed.get(name);
    const { key, attempt } = before?.body === body ? before : { key: newKey(), attempt: 0 };
    // A draft may have been put back after the press, together with this code: that is not what is sent.
    const isEdited = press.element !== undefined && bodyText(new FormData(press.element, press.submitter)) !== body;
    const where = { name, nth, slot, address: address.href, entry: entries.place };
    const known = { ...where, key, attempt, pressedAt: Date.now(), isEdited };
    const sent = this.#newSent(known, press, { body, bytes, typed });
    const uploadMs = (bytes / this.#limits.uploadBytesPerSecond) * 1_000;
    this.dispatch({ kind: "pressed", slot: name, body, uploadMs }, sent);
    return sent.promise;
  }

  #newSent(known: CarriedSubmission, press: Press, content: Pick<Sent, "body" | "bytes" | "typed">): Sent {
    const { promise, resolve } = Promise.withResolvers<Posted>();
    const nothingYet = { span: undefined, stop: nothing, questions: 0, text: "", isOtherBuild: false };
    return { ...known, ...content, press, promise, resolve, startedAt: this.#deps.clock.now(), ...nothingYet };
  }

  /** The document is left. What is open now is asked about by the next one of this tab. */
  left(): void {
    const { entries, screen } = this.#deps;
    const shown = this.#isOutdated ? [...(entries.outcomesAt(entries.place) ?? [])] : [];
    const outcomes = shown.flatMap(([name, outcome]) => {
      const place = this.#places.get(outcome);
      return place ? [{ name, nth: place.nth, text: place.text }] : [];
    });
    const open = [...this.#sent.values()]
      .filter((sent) => sent.attempt > 0)
      .map((sent) => {
        const { name, nth, slot, address, entry, key, attempt, pressedAt } = sent;
        return { name, nth, slot, address, entry, key, attempt, pressedAt, isEdited: isEdited(sent) };
      });
    if (outcomes.length + open.length > 0) writeCarried({ url: screen.url, outcomes, open });
  }

  /** It has come back, with all that it knew. */
  returned(): void {
    takeCarried();
  }

  /** One event after the other, each to its end, even when doing one brings the next. */
  dispatch(event: Happening, sent?: Sent): void {
    this.#waiting.push(sent ? { event, sent } : { event });
    if (this.#running) return;
    this.#running = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#step(next.event, next.sent);
    this.#running = false;
    this.#supervise();
    this.#write();
    this.#deps.settle();
  }

  /** The visitor goes elsewhere, or has ended a navigation. */
  moved(kind: "went" | "arrived" | "stayed"): void {
    // Where an action sends the visitor, they do not go away from it.
    if (kind !== "went" || !this.#leads) this.dispatch({ kind });
    if (kind === "arrived") {
      this.#isOutdated = false;
      this.#hasChanged = false;
      this.#findForms();
    }
  }

  /** React names a form by its place in what it renders, and differently each time. Back leads to the same forms. */
  #findForms(): void {
    const { entries } = this.#deps;
    const outcomes = entries.outcomesAt(entries.place);
    for (const [name, outcome] of [...(outcomes ?? [])]) {
      const forms = formsAt(name.split(" ", 1)[0] ?? "");
      const names = forms.map(formNameOf);
      const now = names[this.#places.get(outcome)?.nth ?? -1];
      if (now === undefined || names.includes(name)) continue;
      outcomes?.delete(name);
      outcomes?.set(now, outcome);
    }
    this.#write();
    this.#showBar();
  }

  #step(event: Happening, pressed: Sent | undefined): void {
    const { changes, clock } = this.#deps;
    const before = this.#state.nextId;
    const { state, page, effects } = stepSubmissions(
      { state: this.#state, page: changes.page },
      event,
      clock.now(),
      this.#limits,
    );
    this.#state = state;
    if (pressed) this.#keep(before, pressed);
    changes.page = page;
    for (const effect of effects) this.#doSafely(effect);
  }

  /** A press that the record took for one that is under way has the same end. */
  #keep(id: number, pressed: Sent): void {
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

  /** What breaks while one thing is done must not keep the others from being done. */
  #doSafely(effect: Effect): void {
    try {
      this.#do(effect);
    } catch (error) {
      this.#deps.lost(error);
    }
  }

  #do(effect: Effect): void {
    if (effect.kind === "forget") return this.#deps.changes.tell(effect.session);
    const sent = this.#sent.get(effect.id);
    if (!sent) return;
    switch (effect.kind) {
      case "send":
        return this.#send(effect.id, sent);
      case "ask":
        return this.#ask(effect.id, sent, effect.cancel);
      case "abort":
        return sent.stop();
      case "show":
        return this.#show(sent);
      case "navigate":
        return this.#follow(new URL(effect.to, this.#deps.screen.url).href);
      case "settled":
        return this.#settle(effect.id, sent, effect.outcome);
    }
  }

  #follow(to: string): void {
    this.#leads = true;
    this.#deps.start({ to, how: to === location.href ? "replace" : "push" });
    this.#leads = false;
  }

  #send(id: number, sent: Sent): void {
    const { press, bytes, address } = sent;
    const { signals, screen } = this.#deps;
    sent.attempt += 1;
    if (press.element && !sent.span) {
      // Numbers of navigations are positive.
      const facts = { id: -id, from: screen.url, to: screen.url, kind: "submit" } as const;
      sent.span = signals.navigationStarted(facts);
    }
    sent.span?.dataRequested();
    const onTheWay = [...this.#sent.values()].reduce((sum, other) => sum + (other === sent ? 0 : other.bytes), 0);
    const keepalive = bytes + onTheWay <= this.#limits.keepaliveBytes;
    const headers = sent.span?.headers() ?? {};
    const request = { url: address, headers, body: bodyOf(press.form, sent), keepalive };
    sent.stop = sendSubmission(request, this.#deps, (answer) => this.#hear(id, sent, answer));
  }

  #hear(id: number, sent: Sent, answer: SubmissionAnswer): void {
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

  /** `build` is undefined where the outcome was asked for: then no page follows. */
  #answered(id: number, sent: Sent, { line, text }: { line: OutcomeLine; text: string }, build?: string): void {
    const { outcome, ran, session } = line;
    sent.text = text;
    sent.isOtherBuild = build !== undefined && build !== this.#deps.parts.build;
    if (sent.isOtherBuild) this.#deps.source.outdate();
    // Its page was loaded for whom the request came from, so that it is asked for again where that has changed.
    const page = build === this.#deps.parts.build && ran && !session && outcome.kind !== "redirected";
    // An answer that is all here need not be stopped.
    if (build !== undefined && !page) sent.stop = nothing;
    this.dispatch({ kind: "answered", id, outcome, ran, session, page });
  }

  #ask(id: number, sent: Sent, cancel: boolean): void {
    sent.questions += 1;
    const { questions, key, attempt, address } = sent;
    void askOutcome(address, { key, attempt, cancel }, this.#limits.askMs).then((told) => {
      if (questions !== sent.questions) return;
      if (told.state === "ended") this.#answered(id, sent, told);
      else this.dispatch({ kind: "told", id, state: told.state });
    });
  }

  #show({ page, stop }: Sent): void {
    if (!page) return;
    page.asOf = this.#deps.changes.page.asOf;
    this.#deps.source.shownBy(stop);
    this.#deps.swap(page);
  }

  #settle(id: number, sent: Sent, outcome: Posted): void {
    const { entries } = this.#deps;
    this.#sent.delete(id);
    if (outcome.kind === "failed") this.#failed.set(sent.name, sent);
    else this.#failed.delete(sent.name);
    if (outcome.kind !== "discarded") entries.outcomesAt(sent.entry)?.set(sent.name, outcome);
    this.#places.set(outcome, sent);
    // The outcome and the page that came with it are seen together.
    flushSync(() => this.#findForms());
    this.#leaveForm(sent, outcome);
    this.#endSpan(sent, outcome);
    sent.resolve(outcome);
    // Where it was refused or has thrown, the visitor stays with its message.
    this.#hasChanged ||= outcome.kind !== "invalid" && outcome.kind !== "failed";
    this.#isOutdated ||= outcome.kind === "done" && sent.isOtherBuild && sent.entry === entries.place;
    this.#renew();
  }

  /** The page cannot be asked for again here: the server has another build. */
  metOtherBuild(): void {
    // What others have changed is no reason to replace a page that the visitor reads.
    this.#isOutdated ||= this.#hasChanged;
    this.#renew();
  }

  /**
   * Loads the page of the other build as a whole once all forms have ended, with everything that is shown and typed in
   * this one.
   */
  #renew(): void {
    const { start } = this.#deps;
    // Where a full load would lose something that was typed, the next click makes it.
    if (!this.#isOutdated || this.#state.open.length > 0 || this.#deps.wouldLoseText()) return;
    start({ to: location.href, how: "reload" });
  }

  /** Takes over what the document before this one has left: outcomes to show, and forms to ask about. */
  resume(): void {
    const { entries, screen } = this.#deps;
    const { url, outcomes, open } = takeCarried();
    for (const { name, nth, text } of url === screen.url ? outcomes : []) {
      const line = text === "" ? undefined : readOutcome(text);
      if (!line) continue;
      entries.outcomesAt(entries.place)?.set(name, line.outcome);
      this.#places.set(line.outcome, { nth, text });
    }
    for (const known of open) {
      const press = { href: known.address, form: new FormData() };
      const sent = this.#newSent(known, press, { body: "", bytes: 0, typed: undefined });
      this.dispatch({ kind: "resumed", slot: known.name }, sent);
    }
    this.#findForms();
  }

  /** Empties a form that was done, and leads to what was refused in it. */
  #leaveForm(sent: Sent, outcome: Posted): void {
    const { press, name, nth, entry, pressedAt, body } = sent;
    const form = press.element?.isConnected ? press.element : undefined;
    const edited = isEdited(sent);
    if (form && outcome.kind === "done" && !edited) empty(form);
    if (outcome.kind === "invalid") form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    const isResumed = body === "";
    const ended = { name, nth, place: entry, pressedAt, isEdited: edited, isResumed };
    if (press.element || isResumed) this.#deps.ended(ended, outcome);
  }

  #endSpan({ span, page }: Sent, outcome: Posted): void {
    if (outcome.kind === "redirected") span?.ended(outcome);
    else if (outcome.kind === "discarded") span?.ended({ kind: "cancelled" });
    else if (outcome.kind === "failed")
      span?.ended({ kind: "failed", reason: "action", ...(outcome.digest && { digest: outcome.digest }) });
    else
      span?.ended({
        kind: "committed",
        route: page?.route ?? "",
        status: outcome.kind === "done" ? 200 : 422,
        data: "fetched",
      });
  }

  /** Tells the forms of the page, and the window, how their submissions stand. */
  #write(): void {
    const { entries, pending, signals } = this.#deps;
    const { open } = this.#state;
    const outcomes = entries.outcomesAt(entries.place);
    const made = new Map<string, { from: string; outcome: unknown; slot: Slot }>();
    for (const name of new Set([...(outcomes?.keys() ?? []), ...open.map(({ slot }) => slot)])) {
      const mine = open.filter(({ slot }) => slot === name);
      const outcome = outcomes?.get(name);
      const from = mine
        .map(
          ({ id, phase, consent, unwanted }) =>
            `${id}${JSON.stringify({ ...phase, dueAt: 0, capAt: 0, asked: 0 })}${consent}${unwanted}`,
        )
        .join();
      const known = this.#slots.get(name);
      made.set(
        name,
        known?.from === from && known.outcome === outcome ? known : { from, outcome, slot: this.#slot(mine, outcome) },
      );
    }
    const isChanged = made.size !== this.#slots.size || [...made].some(([name, one]) => this.#slots.get(name) !== one);
    if (!isChanged) return;
    this.#slots = made;
    slots.write(new Map([...made].map(([name, { slot }]) => [name, slot])));
    this.#showBar();
    const newest = open.findLast((one) => isPending(one) && this.#sent.get(one.id)?.press.element);
    const sent = newest && this.#sent.get(newest.id);
    pending.formChanged(sent && { target: sent.address, form: sent.press.form, startedAt: sent.startedAt });
    const isLost = open.some(({ phase }) => phase.kind === "held");
    if (isLost !== this.#isLost) signals.connection(isLost ? "lost" : "back");
    this.#isLost = isLost;
  }

  #slot(mine: readonly Submission<SubmissionOutcome>[], outcome: Posted | undefined): Slot {
    const pending = mine.findLast(isPending);
    const words = this.#words(mine.find(isAskedAbout));
    const notice =
      words && createElement("div", { key: words.text, role: "alert", ref: (div) => fillNotice(div, words) });
    return {
      sending: pending && this.#sent.get(pending.id)?.press.form,
      outcome: words?.state ?? outcome,
      notice,
    };
  }

  /** Asks in the window about what nothing on the page asks about. */
  #showBar(): void {
    const stuck = this.#state.open.find((one) => isAskedAbout(one) && asksInWindow(this.#sent.get(one.id)));
    showNotice(this.#words(stuck));
  }

  #words(stuck: Submission | undefined): Words | undefined {
    if (!stuck) return undefined;
    const { id } = stuck;
    return wordsFor(stuck, {
      again: () => this.dispatch({ kind: "again", id }),
      discard: () => this.dispatch({ kind: "discard", id }),
    });
  }
}

function isPending({ phase }: Submission): boolean {
  return phase.kind !== "held" && phase.kind !== "unsure";
}

function isAskedAbout(one: Submission): boolean {
  return !isPending(one) && !one.unwanted;
}

/** Whether something was typed into the form since it was sent. */
function isEdited({ press: { element }, typed, isEdited: before }: Sent): boolean {
  return before || (element?.isConnected === true && bodyText(new FormData(element)) !== typed);
}

/** Nothing on the page asks: it was called by a script, or the visitor has left its form. */
function asksInWindow(sent: Sent | undefined): boolean {
  return (
    sent !== undefined &&
    sent.press.notices !== false &&
    ![...document.forms].some((form) => formNameOf(form) === sent.name)
  );
}

function nothing(): void {
  // There is nothing to stop.
}
