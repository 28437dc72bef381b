import { type ReactNode, useId, useSyncExternalStore } from "react";
import type { ActionRef } from "#routes";
import type { SubmissionOutcome } from "../view.ts";
import { usePage } from "./page-context.ts";

/** How a submission ended. `discarded`: the visitor gave it up. */
export type Posted = SubmissionOutcome | { kind: "discarded" };

/**
 * How the newest submission of a form ended, or why it has not: where it is not known what became of it, the visitor
 * decides.
 */
export type SubmissionState =
  | Posted
  /**
   * The connection is lost, and with it the answer. `consented`: it is sent again as soon as it is certain that it was
   * not received.
   */
  | { kind: "held"; consented: boolean; again(): void; discard(): void }
  /** The answer is lost. `no`: it was not received, and will not be. */
  | { kind: "unsure"; received: "no" | "unknown"; again(): void; discard(): void };

/** One form, or one fetcher, of the page that is shown. */
export interface Slot {
  /** What is being sent, while it is. */
  sending: FormData | undefined;
  outcome: SubmissionState | undefined;
  /** Asks the visitor what to do, where that is needed. */
  notice: ReactNode;
}

/** What was typed, ticked or chosen before, by the names of the fields. */
export type DraftValues = Readonly<Record<string, string | boolean | readonly string[]>>;

/** The forms of the page that is shown, by name. Hooks read it; whoever sends them writes it. */
class Slots {
  readonly #listeners = new Set<() => void>();
  all: ReadonlyMap<string, Slot> = new Map();
  /** What was put back into them. Code that changes this writes their slots again, so that they render it. */
  drafts: ReadonlyMap<string, DraftValues> = new Map();

  read(name: string): Slot | undefined {
    return this.all.get(name);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  write(all: ReadonlyMap<string, Slot>): void {
    this.all = all;
    for (const listener of this.#listeners) listener();
  }
}

/** One for the document. On the server nothing is ever under way. */
export const slots: Slots = new Slots();

/** The same action on another page is another form, so its path is part of the name. */
export function slotName(href: string, slot: string): string {
  return `${href.split("?", 1)[0]} ${slot}`;
}

/** What one form knows of itself. */
export interface OwnSlot extends Partial<Slot> {
  id: string;
  slot: string;
  draft: DraftValues | undefined;
}

/** `of` tells forms of one action apart; without it their places on the page do. */
export function useSlot(action: ActionRef | undefined, of: string | number | undefined): OwnSlot {
  const id = useId();
  const slot = `${action?.name} ${of ?? id}`;
  const name = slotName(action?.href ?? "", slot);
  const { view } = usePage();
  const now = useSyncExternalStore(
    slots.subscribe,
    () => slots.read(name),
    () => undefined,
  );
  const form = view.kind === "page" ? view.form : undefined;
  // A document that answers a form brings its outcome along. Where the form had no name, that is the action's.
  const brought = form && (form.slot === slot || form.slot === action?.name) ? form.outcome : undefined;
  const draft = slots.drafts.get(name);
  return { id, slot, draft, sending: now?.sending, outcome: now?.outcome ?? brought, notice: now?.notice };
}
