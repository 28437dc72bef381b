import { type ReactNode, useId, useSyncExternalStore } from "react";
import type { ActionRef } from "#routes";
import type { LazySchema } from "../standard-schema.ts";
import type { EditedRows, SubmissionOutcome } from "../view.ts";
import { usePage } from "./page-context.ts";

/** The outcome of a submission. `discarded`: the visitor discarded it. */
export type Posted<Result = unknown> =
  | { kind: "done"; result: Result }
  | Exclude<SubmissionOutcome, { kind: "done" }>
  | { kind: "discarded" };

/** What a form shows. `edited`: a row of a list has come or gone, or the messages of a check; nothing was sent. */
export type FormEnd<Result = unknown> = Posted<Result> | EditedRows;

/** The outcome of a form's newest submission, or why there is none: if the outcome is unknown, the visitor decides. */
export type SubmissionState<Result = unknown> =
  | FormEnd<Result>
  /**
   * The connection and the response are lost. `consented`: it is sent again as soon as it is certain that it was not
   * received.
   */
  | { kind: "held"; consented: boolean; again(): void; discard(): void }
  /** The response is lost. `no`: it was not received, and will not be. */
  | { kind: "unsure"; received: "no" | "unknown"; again(): void; discard(): void };

/** One form or fetcher of the current page. */
export interface Slot {
  /** The form data, while it is being sent. */
  sending: FormData | undefined;
  /** Share of a large form that has been sent, from 0 to 1. */
  progress?: number | undefined;
  outcome: SubmissionState | undefined;
  /** Form data that was sent or waits to be sent, in order, as far as the page does not show its result yet. */
  calls?: readonly FormData[] | undefined;
  /** Asks the visitor what to do, if that is needed. */
  notice: ReactNode;
}

/** What was typed, ticked or chosen earlier, by field name. */
export type DraftValues = Readonly<Record<string, string | boolean | readonly string[]>>;

/** The forms of the current page, by name. Hooks read it; the code that sends them writes it. */
class Slots {
  readonly #listeners = new Set<() => void>();
  all: ReadonlyMap<string, Slot> = new Map();
  /** Restored values. Code that changes them writes the slots again, so that the forms render them. */
  drafts: ReadonlyMap<string, DraftValues> = new Map();
  /** Names of forms whose `dirty` is read, and of those that are. On the server nothing is typed. */
  readonly tracked: Set<string> | undefined = typeof document === "undefined" ? undefined : new Set();
  readonly dirty: Set<string> = new Set();
  /** The schemas of forms with `check`. */
  readonly checks: Map<string, LazySchema> = new Map();

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

/** One per document. On the server nothing is ever pending. */
export const slots: Slots = new Slots();

/** Includes the path, because the same action on another page is another form. */
export function slotName(href: string, slot: string): string {
  return `${href.split("?", 1)[0]} ${slot}`;
}

/** State of one form, for itself. */
export interface OwnSlot extends Partial<Slot> {
  id: string;
  name: string;
  slot: string;
  draft: DraftValues | undefined;
}

/** `of` distinguishes forms of one action; without it their positions on the page do. */
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
  const { form } = view;
  // A document that responds to a form contains its outcome. A form without a slot is found by the action's name.
  const inDocument = form && (form.slot === slot || form.slot === action?.name) ? form.outcome : undefined;
  const draft = slots.drafts.get(name);
  return { ...now, id, name, slot, draft, outcome: now?.outcome ?? inDocument };
}
