import { leftEntryKey, neverStoredType, noDraft, secretContent, secretField } from "../../draft-fields.ts";
import { type EarlyInput, inputGlobal } from "../../early-input.ts";
import { rowsField } from "../../page-data.ts";
import { type DraftValues, type Posted, slots } from "../../react/slots.ts";
import type { HistoryEntries } from "../history-entries.ts";
import { empty, formNameOf, formsAt, pathOf } from "../page-forms.ts";
import type { setTimer } from "../set-timer.ts";
import type { Screen } from "../show/screen.tsx";
import {
  type Draft,
  type DraftField,
  type DraftStorage,
  DraftStore,
  type DraftValue,
  draftLimits,
} from "./draft-store.ts";

export interface DraftsDeps {
  screen: Pick<Screen, "page">;
  entries: Pick<HistoryEntries, "place">;
  /** Tag of the session whose pages this tab shows. */
  tag(): string;
  draftStorage: DraftStorage;
  setTimer: typeof setTimer;
}

/** A sent form whose submission has ended. */
export interface EndedForm {
  name: string;
  /** Index of the form among those of its action. */
  nth: number;
  /** The history entry from which it was sent. */
  place: number;
  /** Wall-clock time. */
  pressedAt: number;
  /** Its text has changed since it was sent. */
  isEdited: boolean;
  /** An earlier document of this tab sent it. */
  isResumed: boolean;
}

/**
 * Keeps what is typed into forms until it is sent successfully: over a reload, a crash of the tab, a deploy, and Back
 * and Forward. Secrets and files are never kept. Fields whose value is in the application's own state are kept but not
 * filled in: they read `form.draft`.
 */
export class Drafts {
  readonly isStorable: typeof isStorable = isStorable;
  readonly #deps: DraftsDeps;
  readonly #store: DraftStore;
  /** Fields the visitor has typed into. After a refusal the typed text is the field's default, but still a draft. */
  #typed = new WeakSet<Element>();
  /** Fields that were filled in before this code had loaded, except those of a form that was sent since. */
  readonly filledBefore: readonly Element[];
  /** Restored values, by slot name. */
  #back = new Map<string, DraftValues>();
  #cancelWrite: (() => void) | undefined;

  constructor(deps: DraftsDeps) {
    this.#deps = deps;
    this.#store = new DraftStore(deps.draftStorage, draftLimits, Date.now);
    // The visitor may have typed before this code had loaded.
    const early: EarlyInput | undefined = Reflect.get(window, inputGlobal);
    const typedBefore = [...document.querySelectorAll<Field>(anyField)].filter(
      (field) => early?.typed.has(field) || isFilledIn(field) || this.#isSentBack(field),
    );
    this.putBack();
    for (const field of typedBefore) if (!this.#typed.has(field)) this.#note(field);
    this.filledBefore = typedBefore.filter(({ form }) => form !== early?.last);
    document.addEventListener("input", ({ target }) => this.#note(target));
    document.addEventListener("reset", ({ target }) => this.#drop(target));
    document.addEventListener("visibilitychange", () => this.#write());
    // Replaces the document's own script, which did the same until this code had loaded.
    if (early) removeEventListener("beforeunload", early.ask);
    window.oninput = null;
    window.onpagehide = () => {
      this.#write();
      rememberLeftEntry(deps.entries.place);
    };
  }

  /** Restores drafts into the forms of the page on screen, except into fields that the visitor has changed since. */
  putBack(): void {
    const { entries, tag } = this.#deps;
    const { place } = entries;
    const fills: (() => void)[] = [];
    this.#back.clear();
    for (const draft of this.#store.at(place, tag())) {
      const form = formOf(draft);
      const name = form && formNameOf(form);
      if (!form || name === undefined) continue;
      this.#store.rename(draft, name);
      draft.place = place;
      fills.push(() => this.#fill(form, draft.fields));
      this.#back.set(name, valuesOf(draft.fields));
    }
    for (const fill of fills) fill();
    this.#render();
    // Once more after React has rendered the rows of lists that only the draft has.
    for (const fill of fills) queueMicrotask(fill);
  }

  /** Restores what was typed in an earlier visit, here or in the page that shows its form next. */
  adopt(draft: Pick<Draft, "name" | "nth" | "fields">): void {
    this.#store.keep({ ...draft, place: 0, tag: this.#deps.tag() });
    this.#write();
    this.putBack();
  }

  /** What is typed into the forms of this entry. */
  here(): Draft[] {
    return this.#store.at(this.#deps.entries.place, this.#deps.tag());
  }

  /** Drops the draft of a form that succeeded, was discarded or is kept by the server. */
  ended({ name, nth, place, pressedAt, isEdited, isResumed }: EndedForm, outcome: Posted): void {
    if (isEdited || outcome.kind === "invalid" || (outcome.kind === "failed" && !outcome.kept)) return;
    const form = isResumed && place === this.#deps.entries.place ? formOf({ name, nth }) : undefined;
    const now = (form && formNameOf(form)) ?? name;
    // The form may have left the page: then only its draft shows that something else was typed.
    if (this.#store.isNewer(place, now, pressedAt)) return;
    // The submission whose text was restored has succeeded after all.
    if (form && outcome.kind === "done") empty(form);
    this.#store.drop(place, now);
    if (this.#back.delete(now)) this.#render();
    this.#write();
  }

  /** Whether the application keeps something of the form in its own state, which React makes the default. */
  hasControlled(form: HTMLFormElement): boolean {
    return fieldsIn(form).some(({ field }) => field.type !== "hidden" && isControlled(field));
  }

  /** Whether the page holds input that is not kept: a password, a file, or text outside a form of ours. */
  wouldLoseText(): boolean {
    return [...document.querySelectorAll<Field>(anyField)].some(
      (field) => isFilledIn(field) && !(isStorable(field) && field.form && formNameOf(field.form)),
    );
  }

  /** Another user may be signed in. */
  erase(): void {
    this.#store.erase();
    this.#typed = new WeakSet();
  }

  /** Renders the forms again that have or had a draft. */
  #render(): void {
    const all = new Map(slots.all);
    for (const name of new Set([...slots.drafts.keys(), ...this.#back.keys()]))
      all.set(name, { sending: undefined, outcome: undefined, notice: undefined, ...all.get(name) });
    slots.drafts = new Map(this.#back);
    slots.write(all);
  }

  #note(target: EventTarget | null): void {
    if (!isField(target) || !isStorable(target)) return;
    const { form } = target;
    const name = form && formNameOf(form);
    if (!form || !name) return;
    this.#typed.add(target);
    this.keep(form, name);
  }

  keep(form: HTMLFormElement, name: string): void {
    const { entries, tag } = this.#deps;
    const nth = formsAt(pathOf(form)).indexOf(form);
    this.#store.keep({ place: entries.place, name, nth, tag: tag(), fields: this.#fieldsOf(form) });
    this.#cancelWrite?.();
    this.#cancelWrite = this.#deps.setTimer(() => this.#write(), draftLimits.waitMs);
  }

  /**
   * Whether the browser itself posted the form without success: then the typed text is the field's default in this
   * document. What is not chosen has sent nothing, not even its name.
   */
  #isSentBack(field: Field): boolean {
    const { form, name } = field;
    const { view } = this.#deps.screen.page;
    const { slot, outcome } = view.form ?? {};
    const isIn = outcome && "values" in outcome && (isChoice(field) || name in Object(outcome.values));
    return isIn === true && form !== null && formNameOf(form) === `${pathOf(form)} ${slot}`;
  }

  /** The fields of a reset form are no draft. */
  #drop(target: EventTarget | null): void {
    const name = target instanceof HTMLFormElement && formNameOf(target);
    if (!name) return;
    for (const { field } of fieldsIn(target)) this.#typed.delete(field);
    this.#store.drop(this.#deps.entries.place, name);
    this.#write();
  }

  #write(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    this.#store.write();
  }

  #fieldsOf(form: HTMLFormElement): DraftField[] {
    return fieldsIn(form)
      .filter(
        ({ field }) =>
          field.name === rowsField ||
          (isStorable(field) && (this.#typed.has(field) || !(isControlled(field) || isDefault(field)))),
      )
      .map(({ field, name, nth }) => [name, nth, readValue(field)]);
  }

  #fill(form: HTMLFormElement, fields: readonly DraftField[]): void {
    const all = fieldsIn(form);
    for (const [name, nth, value] of fields) {
      const { field } = all.find((one) => one.name === name && one.nth === nth) ?? {};
      if (!field || !isStorable(field)) continue;
      if (!isControlled(field) && isDefault(field)) writeValue(field, value);
      if (isControlled(field) || `${readValue(field)}` === `${value}`) this.#typed.add(field);
    }
  }
}

function rememberLeftEntry(place: number): void {
  try {
    sessionStorage.setItem(leftEntryKey, `${place} ${history.length} ${location.href}`);
  } catch {
    // Storage is denied or full, as for the drafts.
  }
}

const anyField = "input:not([type=hidden]),textarea,select";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface NamedField {
  field: Field;
  name: string;
  nth: number;
}

/** React's ids for forms differ between renderings, so the index decides; forms of rows have a stable name. */
function formOf({ name, nth }: Pick<Draft, "name" | "nth">): HTMLFormElement | undefined {
  const forms = formsAt(name.split(" ", 1)[0] ?? "");
  return forms.find((form) => formNameOf(form) === name) ?? forms[nth];
}

function fieldsIn(form: HTMLFormElement): NamedField[] {
  const counts = new Map<string, number>();
  return [...form.querySelectorAll<Field>("input,textarea,select")].map((field) => {
    const { name } = field;
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    return { field, name, nth };
  });
}

function isField(target: EventTarget | null): target is Field {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  );
}

/** Never keeps passwords, cards, codes, files, and fields marked `data-no-draft`. */
export function isStorable(field: Field): boolean {
  return (
    field.name !== "" &&
    !neverStoredType.test(field.type) &&
    !secretContent.test(field.getAttribute("autocomplete") ?? "") &&
    !secretField.test(field.name) &&
    !field.closest(noDraft)
  );
}

/**
 * Whether the application keeps the value in its own state: React would undo a value written into such a field at the
 * next rendering. Since version 17 React stores the props on the element under this name.
 */
function isControlled(field: Field): boolean {
  const key = Object.keys(field).find((name) => name.startsWith("__reactProps$"));
  const props: unknown = key && Reflect.get(field, key);
  const name = isTick(field) ? "checked" : "value";
  return typeof props === "object" && props !== null && Reflect.get(props, name) !== undefined;
}

function isTick(field: Field): field is HTMLInputElement {
  return field.type === "checkbox" || field.type === "radio";
}

function isChoice(field: Field): boolean {
  return isTick(field) || field.type === "select-multiple";
}

function isDefault(field: Field): boolean {
  if (isTick(field)) return field.checked === field.defaultChecked;
  if (!(field instanceof HTMLSelectElement)) return field.value === field.defaultValue;
  const options = [...field.options];
  const chosen = options.filter(({ defaultSelected }) => defaultSelected);
  if (chosen.length === 0 && !field.multiple && options[0]) chosen.push(options[0]);
  return options.every((option) => option.selected === chosen.includes(option));
}

/** Whether the visitor has filled in the field, as far as we can detect. */
function isFilledIn(field: Field): boolean {
  return !isDefault(field) && !isControlled(field);
}

function readValue(field: Field): DraftValue {
  if (isTick(field)) return field.checked;
  return field instanceof HTMLSelectElement ? [...field.selectedOptions].map(({ value }) => value) : field.value;
}

function writeValue(field: Field, value: DraftValue): void {
  if (isTick(field)) {
    if (typeof value === "boolean") field.checked = value;
  } else if (field instanceof HTMLSelectElement) {
    if (typeof value === "object") for (const option of field.options) option.selected = value.includes(option.value);
  } else if (typeof value === "string") field.value = value;
}

/** Groups values by name, for fields that the application fills in itself. */
function valuesOf(fields: readonly DraftField[]): DraftValues {
  const values = new Map<string, DraftValue>();
  for (const [name, , value] of fields) {
    const before = values.get(name);
    const isList = typeof value === "string" && before !== undefined && typeof before !== "boolean";
    values.set(name, isList ? [before, value].flat() : value);
  }
  return Object.fromEntries(values);
}
