import { languages } from "#routes/href";
import { type Blocker, pendingState } from "../../react/browser-runtime.ts";
import * as english from "../../texts/english.ts";
import type { ExtrasPage, PendingNavigation } from "./extras-page.ts";

interface WatchedForm {
  /** What the form had at first, or when it was last sent with success. */
  saved: string;
  /** What is being sent. */
  sent: string | undefined;
  /** A restored draft that no longer counts, because the form was sent or emptied since. */
  oldDraft: unknown;
  isDirty: boolean;
}

let watching: FormWatch | undefined;

/**
 * Watches the forms that have `confirmLeave`, or whose `dirty` is read. Called again for each page. In tests, no page
 * is left.
 */
export function watchForms(page: ExtrasPage, pending?: PendingNavigation): void {
  watching ??= new FormWatch(page);
  watching.update();
  removeEventListener("beforeunload", page.confirmFirst);
  if (pending && page.unsaved.size > 0) watching.askFirst(pending);
  page.unsaved.clear();
}

/** Knows which forms have changed, and asks before the visitor leaves one that has `confirmLeave`. */
class FormWatch {
  readonly #page: ExtrasPage;
  readonly #forms = new WeakMap<HTMLFormElement, WatchedForm>();
  readonly #observer = new MutationObserver((records) => this.#changed(records));
  /** The question, while there is something to lose. */
  #question: string | undefined;

  constructor(page: ExtrasPage) {
    this.#page = page;
    // Before React renders what was typed: new data in fields looks the same to the observer.
    document.addEventListener("input", () => this.update(), true);
    // The fields have their defaults when the event has passed.
    document.addEventListener("reset", ({ target }) => queueMicrotask(() => this.#emptied(target as HTMLFormElement)));
    page.slots.subscribe(() => this.update());
  }

  update(): void {
    const { slots, nameOf } = this.#page;
    let question: string | undefined;
    for (const form of document.forms) {
      const name = nameOf(form);
      const { confirmLeave } = form.dataset;
      if (name === undefined || (confirmLeave === undefined && !slots.tracked?.has(name))) continue;
      const known = this.#forms.get(form) ?? this.#watch(form);
      this.#compare(form, name, known);
      this.#publish(name, known.isDirty);
      if (known.isDirty && !slots.read(name)?.sending) question ??= confirmLeave;
    }
    this.#ask(question);
  }

  /** A navigation has waited for this code. It begins again if the visitor has to be asked. */
  askFirst({ navigations, traversals, start }: PendingNavigation): void {
    const { state } = navigations;
    if (this.#question === undefined || state.kind === "idle" || state.kind === "leaving") return;
    const { target } = state;
    if (target.how === "reload") return;
    navigations.dispatch({ kind: "escape" });
    if (target.how === "traverse") traversals.moved();
    else this.#blocker(() => start(target));
  }

  #compare(form: HTMLFormElement, name: string, known: WatchedForm): void {
    const { slots } = this.#page;
    const { sending, outcome } = slots.read(name) ?? {};
    const draft = slots.drafts.get(name);
    const now = textOf(form);
    // The outcome alone does not count: Back shows that of an earlier time.
    const isSent = known.sent !== undefined && !sending;
    if (isSent && (outcome?.kind === "done" || outcome?.kind === "redirected"))
      Object.assign(known, { saved: known.sent, oldDraft: draft });
    known.sent = sending ? (known.sent ?? now) : undefined;
    known.isDirty = now !== known.saved || (draft !== undefined && draft !== known.oldDraft);
  }

  #watch(form: HTMLFormElement): WatchedForm {
    const { unsaved, drafts } = this.#page;
    // What was refused was typed, although the document has it as default. So does React with what was typed into a
    // field that the application controls.
    const isTyped = form.querySelector("[aria-invalid=true]") || (unsaved.has(form) && drafts.hasControlled(form));
    const saved = isTyped ? "" : defaultsOf(form);
    const known = { saved, sent: undefined, oldDraft: undefined, isDirty: false };
    this.#forms.set(form, known);
    const attributeFilter = ["value", "checked", "selected"];
    this.#observer.observe(form, { childList: true, subtree: true, attributeFilter });
    return known;
  }

  /** New data in a form that nothing was typed into is no change by the visitor; rows that come and go are. */
  #changed(records: readonly MutationRecord[]): void {
    for (const form of new Set(records.map(({ target }) => (target as Element).closest("form")))) {
      const known = form && this.#forms.get(form);
      const { outcome } = this.#page.slots.read((form && this.#page.nameOf(form)) ?? "") ?? {};
      const isOwn = outcome !== undefined && "values" in outcome;
      if (form && known && !known.isDirty && !isOwn) known.saved = textOf(form);
    }
    this.update();
  }

  #emptied(form: HTMLFormElement): void {
    const known = this.#forms.get(form);
    const oldDraft = this.#page.slots.drafts.get(this.#page.nameOf(form) ?? "");
    if (known) Object.assign(known, { saved: textOf(form), oldDraft });
    this.update();
  }

  /** Renders the form if its state has changed. */
  #publish(name: string, isDirty: boolean): void {
    const { slots } = this.#page;
    if (isDirty === slots.dirty.has(name)) return;
    if (isDirty) slots.dirty.add(name);
    else slots.dirty.delete(name);
    const slot = { sending: undefined, outcome: undefined, notice: undefined, ...slots.read(name) };
    slots.write(new Map(slots.all).set(name, slot));
  }

  #ask(question: string | undefined): void {
    this.#question = question;
    if (question === undefined) {
      pendingState.blockers.delete(this.#blocker);
      removeEventListener("beforeunload", confirmFirst);
    } else {
      pendingState.blockers.add(this.#blocker);
      // Only while there is something to lose: the listener prevents the back/forward cache.
      addEventListener("beforeunload", confirmFirst);
    }
  }

  readonly #blocker: Blocker = (leave) => {
    const ask = (): void => {
      const question = this.#question || (languages ? languages.text("leaveForm") : english.leaveForm);
      if (!confirm(question)) return;
      this.#ask(undefined);
      leave();
    };
    // After Back the browser first returns to the page that the visitor sees.
    if (location.href.split("#")[0] === this.#page.url.split("#")[0]) ask();
    else addEventListener("popstate", () => setTimeout(ask), { once: true });
  };
}

function confirmFirst(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function textOf(form: HTMLFormElement): string {
  const fields = [...new FormData(form)];
  return JSON.stringify(fields.map(([name, value]) => [name, typeof value === "string" ? value : value.name]));
}

/** As the form is before anything is typed into it. */
function defaultsOf(form: HTMLFormElement): string {
  const copy = form.cloneNode(true) as HTMLFormElement;
  HTMLFormElement.prototype.reset.call(copy);
  return textOf(copy);
}
