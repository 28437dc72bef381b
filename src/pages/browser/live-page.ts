import { rowsField } from "../page-data.ts";
import type { Press } from "../react/browser-runtime.ts";
import { type FormEnd, type Posted, slots } from "../react/slots.ts";
import type { DataRequest, PageDataEvent } from "./data/fetch-page-data.ts";
import type { PageAnswer } from "./data/page-answer.ts";
import { refreshDueAt, refreshed, refreshing } from "./data/page-refresh.ts";
import type { DraftStorage } from "./drafts/draft-store.ts";
import { Drafts } from "./drafts/drafts.ts";
import type { PendingNavigation } from "./form-extras/extras-page.ts";
import { formNameOf } from "./page-forms.ts";
import type { Screen } from "./show/screen.tsx";
import type { Sent } from "./submissions/sent-submission.ts";
import { showMessage } from "./submissions/submission-notice.ts";
import { SubmissionDriver, type SubmissionsDeps } from "./submissions/submissions.ts";

export interface LivePageDeps
  extends Omit<SubmissionsDeps, "swap" | "settle" | "wouldLoseText" | "ended" | "stored">,
    PendingNavigation {
  screen: Pick<Screen, "page" | "url" | "show" | "broke">;
  /** Pause between two attempts to fetch the page again. */
  refreshRetryMs: number;
  request(request: DataRequest, onEvent: (event: PageDataEvent) => void): () => void;
  /** Tag of the session whose pages this tab shows. */
  tag(): string;
  draftStorage: DraftStorage;
  navigate(to: string): void;
}

/** Keeps the page on screen current: sends its forms, and fetches it again after a change. */
export class LivePage {
  readonly nameOf: typeof formNameOf = formNameOf;
  readonly slots: typeof slots = slots;
  readonly #deps: LivePageDeps;
  readonly #submissions: SubmissionDriver;
  readonly #drafts: Drafts;
  /** The code for later visits: loaded with a page whose actions have `keeps`. */
  #returns: Promise<typeof import("./return/returns.ts")> | undefined;
  /** The code for lists of rows, for checks and for the question before leaving: loaded with a page that needs it. */
  #extras: typeof import("./form-extras/form-extras.ts") | undefined;
  readonly unsaved: Set<HTMLFormElement> = new Set();
  #stopRefresh: () => void = nothing;
  /** Refreshes that have failed, one after another. */
  #failures = 0;
  #cancelTimer: () => void = nothing;

  constructor(deps: LivePageDeps) {
    this.#deps = deps;
    this.#drafts = new Drafts(deps);
    this.#submissions = new SubmissionDriver({
      ...deps,
      settle: () => this.settle(),
      swap: (page, along) => this.#swap(page, along),
      wouldLoseText: () => this.#drafts.wouldLoseText(),
      ended: (form, outcome) => {
        this.#drafts.ended(form, outcome);
        if (outcome.kind === "failed" && !outcome.kept) deps.screen.broke?.(outcome.digest);
      },
      stored: (sent, outcome) => void this.#returns?.then((one) => one.noteSubmission(this, sent, outcome), nothing),
    });
    this.#loadReturns();
    // A form may be added to the page later.
    document.addEventListener("input", ({ target }) => {
      this.#noteTyped(target as Element);
      this.#watch();
    });
    for (const field of this.#drafts.filledBefore) this.#noteTyped(field);
    this.#watch();
    this.#submissions.resume();
    this.settle();
  }

  submit(press: Press): Promise<Posted> {
    const isPlain = slots.checks.size === 0 && press.submitter?.getAttribute("name") !== rowsField;
    const send = (): Promise<Posted> => this.send(press);
    if (isPlain) return send();
    // A row comes with the press: later its focus would take the next key from the field it was meant for.
    return this.#extras?.pressForm(press, this) ?? this.#loadExtras().then((one) => one.pressForm(press, this), send);
  }

  async #loadExtras(): Promise<typeof import("./form-extras/form-extras.ts")> {
    this.#extras ??= await import("./form-extras/form-extras.ts");
    return this.#extras;
  }

  send(press: Press): Promise<Posted> {
    if (press.element) this.unsaved.delete(press.element);
    return this.#submissions.submit(press);
  }

  say(text: string): () => void {
    return showMessage(text);
  }

  /** Another page is on screen, and nothing on it is focused yet. */
  shown(): void {
    this.#drafts.putBack();
    this.#loadReturns();
    this.#watch();
  }

  /** Watches the forms that ask before they are left, or say whether they are dirty. Lists of rows need its code. */
  #watch(): void {
    const needed = `[data-confirm-leave],[name=${rowsField}]`;
    if (this.#extras || slots.tracked?.size || document.querySelector(needed)) this.#watchForms().catch(nothing);
  }

  async #watchForms(): Promise<void> {
    (await this.#loadExtras()).watchForms(this, this.#deps);
  }

  /** The page is not left before the code is here that may have to ask. */
  get ready(): Promise<void> | undefined {
    return this.unsaved.size > 0 ? this.#watchForms() : undefined;
  }

  #noteTyped(field: Element): void {
    const form = field.closest<HTMLFormElement>("form[data-confirm-leave]");
    if (!form || this.#extras) return;
    this.unsaved.add(form);
    addEventListener("beforeunload", this.confirmFirst);
  }

  /** Until the code has loaded that compares forms, the browser asks before one is left that was typed into. */
  readonly confirmFirst = (event: Event): void => {
    for (const form of this.unsaved) if (form.isConnected) event.preventDefault();
  };

  #loadReturns(): void {
    if (!("keeps" in this.#deps.screen.page.view)) return;
    this.#returns ??= import("./return/returns.ts");
    // The next page with such an action requests it again.
    this.#returns.catch(() => {
      this.#returns = undefined;
    });
  }

  /** Continues a submission of an earlier visit. */
  recover(...of: Parameters<SubmissionDriver["recover"]>): Sent {
    this.#returns ??= import("./return/returns.ts");
    return this.#submissions.recover(...of);
  }

  /** Outcomes of the forms of this history entry. */
  get outcomes(): Map<string, FormEnd> | undefined {
    const { entries } = this.#deps;
    return entries.outcomesAt(entries.place);
  }

  get drafts(): Drafts {
    return this.#drafts;
  }

  get url(): string {
    return this.#deps.screen.url;
  }

  /** Another user may be signed in. */
  forgetDrafts(): void {
    this.#drafts.erase();
  }

  /** `left`: the document is unloaded. `returned`: the back/forward cache has restored it. */
  left(): void {
    this.#submissions.left();
  }

  returned(): void {
    this.#submissions.returned();
  }

  /** The visitor started a navigation (`navigation-started`), or one has ended. */
  navigated(kind: "navigation-started" | "navigation-committed" | "navigation-abandoned"): void {
    if (kind === "navigation-committed") this.#stopRefresh();
    this.#submissions.navigated(kind);
  }

  online(): void {
    this.#failures = 0;
    this.#deps.changes.page = { ...this.#deps.changes.page, retryAt: 0 };
    this.#submissions.dispatch({ kind: "online" });
  }

  /** The tab has become visible or hidden. */
  tick(): void {
    this.#submissions.dispatch({ kind: "tick" });
  }

  /** Fetches the page again if that is due, or sets a timer for it. */
  settle(): void {
    this.#cancelTimer();
    this.#cancelTimer = nothing;
    const { changes, clock, setTimer, refreshRetryMs } = this.#deps;
    if (document.hidden && !changes.urgent) return;
    const now = clock.now();
    const due = refreshDueAt(changes.page, this.#submissions.isBusy);
    if (due <= now) {
      changes.page = refreshing(changes.page, now + refreshRetryMs * 2 ** Math.min(this.#failures, mostDoublings));
      this.#refresh(changes.page.clock);
    } else if (due < Number.POSITIVE_INFINITY) this.#cancelTimer = setTimer(() => this.settle(), due - now);
  }

  /** Fetches the page in the background. A failure leaves the page as it is and is followed by another attempt. */
  #refresh(clock: number): void {
    this.#stopRefresh();
    const { screen, code, source, request, navigate } = this.#deps;
    const asked: DataRequest = { url: screen.url, headers: {}, prefetch: false, without: "unchanged" };
    this.#stopRefresh = request(asked, (event) => {
      if (event.kind === "failed") {
        const isOtherBuild = event.reason === "build-mismatch";
        this.#refreshed(clock, isOtherBuild);
        if (!isOtherBuild) return;
        source.outdate();
        this.#submissions.metOtherBuild();
      }
      if (event.kind !== "answered") return;
      const { answer } = event;
      if (answer.kind === "redirect") {
        this.#refreshed(clock, true);
        navigate(answer.to);
      } else if (answer.status >= 500) this.#refreshed(clock, false);
      else
        code.view(answer.view).then(
          () => this.#refreshed(clock, true, answer),
          () => this.#refreshed(clock, false),
        );
    });
  }

  #refreshed(clock: number, ok: boolean, page?: PageAnswer): void {
    const { changes } = this.#deps;
    const before = changes.page;
    changes.page = refreshed(before, clock, ok);
    if (changes.page !== before) this.#failures = ok ? 0 : this.#failures + 1;
    if (changes.page.asOf !== before.asOf) {
      changes.urgent = false;
      const along = (): void => this.#submissions.pageChanged();
      if (page) this.#swap(page, along);
      else along();
    }
    this.settle();
  }

  /** Shows new data of the page in its place, if it differs. */
  #swap(page: PageAnswer, along?: () => void): void {
    const { screen, entries } = this.#deps;
    const before = screen.page;
    // Late values are not part of the text, so they cannot be compared.
    if (page.text !== before.text || page.text.includes('["~p"'))
      screen.show(withForm(page, before), screen.url, along);
    else {
      const { sentAt, asOf, loads } = page;
      Object.assign(before, { sentAt, asOf, loads });
      along?.();
    }
    entries.keep(screen.page, screen.url);
  }
}

/** The pause between failed refreshes grows up to this power of two: to 160 seconds. */
const mostDoublings = 5;

/** Keeps the form result that the document arrived with. */
function withForm(page: PageAnswer, { view: before }: PageAnswer): PageAnswer {
  const { form } = before;
  return form ? { ...page, view: { ...page.view, form } } : page;
}

function nothing(): void {
  // Nothing to do.
}
