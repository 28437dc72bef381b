import { jsx } from "react/jsx-runtime";
import type { BrowserSignals } from "#signals";
import { type FormEnd, type Slot, slots } from "../../react/slots.ts";
import type { SubmissionOutcome } from "../../view.ts";
import type { HistoryEntries } from "../history-entries.ts";
import { formNameOf } from "../page-forms.ts";
import type { PendingForm } from "../show/pending-signs.ts";
import type { Sent } from "./sent-submission.ts";
import type { Submission } from "./submission-events.ts";
import { fillNotice, showNotice, type Words, wordsFor } from "./submission-notice.ts";

export interface SubmissionDisplayDeps {
  signals: BrowserSignals;
  entries: HistoryEntries;
  pending: { formChanged(form: PendingForm | undefined): void };
}

type Open = readonly Submission<SubmissionOutcome>[];

/** A call that is done, while the page on screen was loaded before it. */
export interface UnshownCall {
  id: number;
  /** Of its slot. */
  name: string;
  form: FormData;
  /** The page shows it if its `asOf` is not lower. */
  changed: number;
}

interface ShownSlot {
  /** The submissions it was made from, as text. */
  from: string;
  outcome: unknown;
  slot: Slot;
}

/** Publishes the state of submissions to the forms of the page and to the window. */
export class SubmissionDisplay {
  readonly #deps: SubmissionDisplayDeps;
  readonly #sent: ReadonlyMap<number, Sent>;
  readonly #choose: (kind: "again" | "discard", id: number) => void;
  readonly #unshown: readonly UnshownCall[];
  #slots = new Map<string, ShownSlot>();
  #isLost = false;

  constructor(
    deps: SubmissionDisplayDeps,
    sent: ReadonlyMap<number, Sent>,
    choose: (kind: "again" | "discard", id: number) => void,
    unshown: readonly UnshownCall[],
  ) {
    this.#unshown = unshown;
    this.#deps = deps;
    this.#sent = sent;
    this.#choose = choose;
  }

  update(open: Open): void {
    const { entries, pending, signals } = this.#deps;
    const outcomes = entries.outcomesAt(entries.place);
    const made = new Map<string, ShownSlot>();
    for (const name of new Set([...(outcomes?.keys() ?? []), ...open.map(({ slot }) => slot)])) {
      const mine = open.filter(({ slot }) => slot === name);
      const outcome = outcomes?.get(name);
      const unshown = this.#unshown.filter((call) => call.name === name);
      const from = JSON.stringify([
        unshown.map(({ id }) => id),
        mine.map((one) => [
          { ...one, phase: { ...one.phase, dueAt: 0, capAt: 0, queried: 0, paused: 0 } },
          this.#sent.get(one.id)?.progress,
        ]),
      ]);
      const known = this.#slots.get(name);
      made.set(
        name,
        known?.from === from && known.outcome === outcome
          ? known
          : { from, outcome, slot: this.#slot(mine, outcome, unshown) },
      );
    }
    const isChanged = made.size !== this.#slots.size || [...made].some(([name, one]) => this.#slots.get(name) !== one);
    if (!isChanged) return;
    this.#slots = made;
    slots.write(new Map([...made].map(([name, { slot }]) => [name, slot])));
    this.showBar(open);
    const newest = open.findLast((one) => isPending(one) && this.#sent.get(one.id)?.press.element);
    const sent = newest && this.#sent.get(newest.id);
    pending.formChanged(sent && { target: sent.address, form: sent.press.form, startedAt: sent.startedAt });
    const isLost = open.some(({ phase }) => phase.kind === "held");
    if (isLost !== this.#isLost) signals.connection(isLost ? "lost" : "back");
    this.#isLost = isLost;
  }

  /** Shows the notice in the window if no form on the page shows it. */
  showBar(open: Open): void {
    showNotice(this.#words(open.find((one) => isNoticed(one) && showsInWindow(this.#sent.get(one.id)))));
  }

  #slot(mine: Open, outcome: FormEnd | undefined, unshown: readonly UnshownCall[]): Slot {
    const sent = this.#sent.get(mine.findLast(isPending)?.id ?? 0);
    const words = this.#words(mine.find(isNoticed));
    const fill = (div: HTMLElement | null): void => {
      // Screen readers announce a status when it is added to an element that they know already.
      if (words?.role === "status") setTimeout(() => fillNotice(div, words));
      else if (words) fillNotice(div, words);
    };
    const notice = words && jsx("div", { role: words.role, ref: fill }, words.text);
    return {
      sending: sent?.press.form,
      progress: sent?.progress,
      outcome: words?.state ?? outcome,
      calls: this.#calls(mine, unshown),
      notice,
    };
  }

  /** In the order of the calls. Parallel ones may end in another. */
  #calls(mine: Open, unshown: readonly UnshownCall[]): readonly FormData[] {
    const open = mine.flatMap(({ id, unwanted, body }) => {
      const form = this.#sent.get(id)?.press.form;
      return form && !unwanted && body ? [{ id, form }] : [];
    });
    return [...unshown, ...open].sort((one, other) => one.id - other.id).map(({ form }) => form);
  }

  #words(shown: Submission | undefined): Words | undefined {
    return (
      shown &&
      wordsFor(shown, {
        again: () => this.#choose("again", shown.id),
        discard: () => this.#choose("discard", shown.id),
      })
    );
  }
}

function isPending({ phase }: Submission): boolean {
  return phase.kind !== "held" && phase.kind !== "unsure";
}

/** Whether the visitor is asked about it, or waits for an action whose response is lost. */
function isNoticed(one: Submission): boolean {
  const { phase, unwanted } = one;
  return !unwanted && (!isPending(one) || (phase.kind === "querying" && phase.runs));
}

/** Whether no form on the page shows the notice: a script sent it, or the visitor has left its page. */
function showsInWindow(sent: Sent | undefined): boolean {
  return (
    sent !== undefined &&
    sent.press.notices !== false &&
    ![...document.forms].some((form) => formNameOf(form) === sent.name)
  );
}
