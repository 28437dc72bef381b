import { createElement } from "react";
import { flushSync } from "react-dom";
import type { BrowserSignals, NavigationSignals } from "#signals";
import { attemptField, keyField, type OutcomeLine, slotField } from "../page-data.ts";
import type { Press } from "../react/browser-runtime.ts";
import { type Posted, type Slot, slotName, slots } from "../react/slots.ts";
import { type SubmissionLimits, submissionLimits } from "../submission-limits.ts";
import type { SubmissionOutcome } from "../view.ts";
import type { Changes } from "./changes.ts";
import type { EndedForm } from "./drafts.ts";
import type { HistoryEntries } from "./history-entries.ts";
import type { CodeLoader } from "./load-code.ts";
import type { Target } from "./navigation-events.ts";
import type { PageAnswer } from "./page-answer.ts";
import { formsAt, nameOf } from "./page-forms.ts";
import type { PageSource } from "./page-source.ts";
import type { PendingForm } from "./pending-signs.ts";
import { askOutcome, readOutcome, type SendDeps, type SubmissionAnswer, sendSubmission } from "./send-submission.ts";
import type { setTimer } from "./set-timer.ts";
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
  start(target: Target): void;
  /** A form has ended. */
  ended(form: EndedForm, outcome: Posted): void;
  /** The runtime itself threw. */
  lost(error: unknown): void;
}

type State = Submissions<SubmissionOutcome>;
type Happening = SubmissionEvent<SubmissionOutcome>;
type Effect = SubmissionEffect<SubmissionOutcome>;

/** What the record need not know of a submission. */
interface Sent {
  press: Press;
  slot: string;
  /** Name of its slot, and the history entry in which it was pressed. */
  name: string;
  entry: number;
  body: string;
  /** What the form had in it when it was pressed: whether it was edited since. */
  typed: string | undefined;
  bytes: number;
  key: string;
  attempt: number;
  startedAt: number;
  promise: Promise<Posted>;
  resolve(posted: Posted): void;
  span: NavigationSignals | undefined;
  stop: () => void;
  /** Which of the forms of its action on the page it was. */
  nth: number;
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
  /** Of each outcome: which of the forms of its action it belongs to. */
  readonly #places = new WeakMap<Posted, number>();
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
    this.#takeCarried();
    this.#findForms();
  }

  get isBusy(): boolean {
    return isBusy(this.#state);
  }

  submit(press: Press): Promise<Posted> {
    const { entries, clock } = this.#deps;
    const { promise, resolve } = Promise.withResolvers<Posted>();
    const { pathname } = new URL(press.href, location.href);
    // A form that the application has written itself has no name: all of its action are one.
    const slot = press.slot ?? String(press.form.get(slotField) ?? pathname.slice(pathname.lastIndexOf("/") + 1));
    const name = slotName(pathname, slot);
    const body = textOf(press.form);
    const bytes = bytesOf(press.form);
    const typed = press.element && textOf(new FormData(press.element));
    const nth = press.element ? formsAt(pathname).indexOf(press.element) : -1;
    const before = this.#failed.get(name);
    const { key, attempt } = before?.body === body ? before : { key: newKey(), attempt: 0 };
    const sent: Sent = {
      ...{ press, slot, name, nth, body, bytes, typed, key, attempt, promise, resolve, span: undefined },
      ...{ entry: entries.place, startedAt: clock.now(), stop: nothing, questions: 0, text: "", isOtherBuild: false },
    };
    const uploadMs = (bytes / this.#limits.uploadBytesPerSecond) * 1_000;
    this.dispatch({ kind: "pressed", slot: name, body, uploadMs }, sent);
    return promise;
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
    if (kind === "arrived") this.#findForms();
  }

  /** React names a form by its place in what it renders, and differently each time. Back leads to the same forms. */
  #findForms(): void {
    const { entries } = this.#deps;
    const outcomes = entries.outcomesAt(entries.place);
    for (const [name, outcome] of [...(outcomes ?? [])]) {
      const forms = formsAt(name.split(" ", 1)[0] ?? "");
      const names = forms.map(nameOf);
      const now = names[this.#places.get(outcome) ?? -1];
      if (now === undefined || names.includes(name)) continue;
      outcomes?.delete(name);
      outcomes?.set(now, outcome);
    }
    this.#write();
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
    const { press, key, bytes } = sent;
    const { signals, screen } = this.#deps;
    sent.attempt += 1;
    if (press.element && !sent.span) {
      // Numbers of navigations are positive.
      const facts = { id: -id, from: screen.url, to: screen.url, kind: "submit" } as const;
      sent.span = signals.navigationStarted(facts);
    }
    sent.span?.dataRequested();
    const body = new FormData();
    for (const [name, value] of press.form) body.append(name, value);
    body.set(slotField, sent.slot);
    body.set(keyField, key);
    body.set(attemptField, `${sent.attempt}`);
    const onTheWay = [...this.#sent.values()].reduce((sum, other) => sum + (other === sent ? 0 : other.bytes), 0);
    const keepalive = bytes + onTheWay <= this.#limits.keepaliveBytes;
    const request = { url: this.#address(sent), headers: sent.span?.headers() ?? {}, body, keepalive };
    sent.stop = sendSubmission(request, this.#deps, (answer) => this.#hear(id, sent, answer));
  }

  /** The search stays the one that is shown, so that the answer shows the same page. */
  #address({ press }: Sent): string {
    const { url: here } = this.#deps.screen;
    const url = new URL(press.href, here);
    if (url.search === "") url.search = new URL(here).search;
    return url.href;
  }

  #hear(id: number, sent: Sent, answer: SubmissionAnswer): void {
    switch (answer.kind) {
      case "outcome":
        sent.text = answer.text;
        return this.#answered(id, sent, answer.line, answer.build);
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
  #answered(id: number, sent: Sent, { outcome, ran, session }: OutcomeLine, build?: string): void {
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
    const { questions, key, attempt } = sent;
    void askOutcome(this.#address(sent), { key, attempt, cancel }, this.#limits.askMs).then((told) => {
      if (questions !== sent.questions) return;
      if (told.state === "ended") this.#answered(id, sent, told.line);
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
    const { entries, screen, start } = this.#deps;
    this.#sent.delete(id);
    if (outcome.kind === "failed") this.#failed.set(sent.name, sent);
    else this.#failed.delete(sent.name);
    if (outcome.kind !== "discarded") entries.outcomesAt(sent.entry)?.set(sent.name, outcome);
    this.#places.set(outcome, sent.nth);
    // The outcome and the page that came with it are seen together.
    flushSync(() => this.#write());
    this.#leaveForm(sent, outcome);
    this.#endSpan(sent, outcome);
    sent.resolve(outcome);
    if (outcome.kind !== "done" || !sent.isOtherBuild || sent.entry !== entries.place || isWrittenIn()) return;
    carry(screen.url, sent);
    start({ to: location.href, how: "reload" });
  }

  #takeCarried(): void {
    const { entries, screen } = this.#deps;
    try {
      const [url, name, nth, text] = JSON.parse(sessionStorage.getItem(carriedKey) ?? "[]");
      sessionStorage.removeItem(carriedKey);
      const line = url === screen.url ? readOutcome(text) : undefined;
      if (!line) return;
      entries.outcomesAt(entries.place)?.set(name, line.outcome);
      this.#places.set(line.outcome, nth);
    } catch {
      // Denied, or not written by us.
    }
  }

  /** Empties a form that was done, and leads to what was refused in it. */
  #leaveForm({ press, typed, name, entry }: Sent, outcome: Posted): void {
    const form = press.element?.isConnected ? press.element : undefined;
    const isEdited = form !== undefined && textOf(new FormData(form)) !== typed;
    if (form && outcome.kind === "done" && !isEdited && !("keepText" in form.dataset)) empty(form);
    if (outcome.kind === "invalid") form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    if (press.element) this.#deps.ended({ name, place: entry, isEdited }, outcome);
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
    pending.formChanged(sent && { target: this.#address(sent), form: sent.press.form, startedAt: sent.startedAt });
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

/** Lists stay at what was chosen: React does not write another default into them, and an older one would be wrong. */
function empty(form: HTMLFormElement): void {
  const chosen = [...form.querySelectorAll("option")].filter(({ selected }) => selected);
  HTMLFormElement.prototype.reset.call(form);
  for (const option of chosen) option.selected = true;
}

function isPending({ phase }: Submission): boolean {
  return phase.kind !== "held" && phase.kind !== "unsure";
}

function isAskedAbout(one: Submission): boolean {
  return !isPending(one) && !one.unwanted;
}

function asksInWindow(sent: Sent | undefined): boolean {
  const { element, notices } = sent?.press ?? {};
  return element ? nameOf(element) === undefined : notices === true;
}

/** Something was typed that a full load would lose. The next click loads the page all the same. */
function isWrittenIn(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>("input:not([type=hidden]),textarea");
  return [...fields].some(
    ({ value, defaultValue, checked, defaultChecked }) => value !== defaultValue || checked !== defaultChecked,
  );
}

/** Two forms with the same text are the same. */
function textOf(form: FormData): string {
  const own: readonly string[] = [slotField, keyField, attemptField];
  const entries = [...form].filter(([name]) => !own.includes(name));
  return JSON.stringify(
    entries.map(([name, value]) =>
      typeof value === "string" ? [name, value] : [name, value.name, value.size, value.lastModified],
    ),
  );
}

/** What a form takes on the wire, roughly: each field has about so many bytes around it. */
const bytesAround = 150;

function bytesOf(form: FormData): number {
  return [...form].reduce(
    (sum, [name, value]) =>
      sum + bytesAround + name.length + (typeof value === "string" ? new Blob([value]).size : value.size),
    0,
  );
}

/** 128 random bits. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .slice(0, 22);
}

const carriedKey = "holdfast-outcome";

/** Over a full load of the page, which shows it then. */
function carry(url: string, { name, nth, text }: Sent): void {
  try {
    sessionStorage.setItem(carriedKey, JSON.stringify([url, name, nth, text]));
  } catch {
    // Storage is denied or full: the page is shown without it.
  }
}

function nothing(): void {
  // There is nothing to stop.
}
