import { createMatcher, layoutActions, segmentsOfId, textDirection, writeDefaults } from "#routes";
import { href, typedSearches } from "#routes/href";
import { isStorable } from "../browser/drafts/drafts.ts";
import type { ExtrasPage } from "../browser/form-extras/extras-page.ts";
import { pressForm, watchForms } from "../browser/form-extras/form-extras.ts";
import { empty, formNameOf } from "../browser/page-forms.ts";
import * as pageErrors from "../errors.ts";
import { valuesByName } from "../field-names.ts";
import { readRows } from "../form-rows.ts";
import { actionMarker, fromField, keyField, rowsField, slotField } from "../page-data.ts";
import { type NavigateOptions, type Press, pendingState } from "../react/browser-runtime.ts";
import type { DataOutcome } from "../react/data-outcome.ts";
import type { PageContextValue } from "../react/page-context.ts";
import { type FormEnd, type Posted, type Slot, slotName, slots } from "../react/slots.ts";
import type { FieldErrors, FieldValues, SubmissionOutcome, View } from "../view.ts";
import { type StubbedPage, stubRuntime } from "./stub-runtime.ts";
import type { ActionStub, RecordedNavigation, RecordedSubmission, StubOutcome } from "./stub-types.ts";

/** The stubs without the types of their page. */
export interface AnyStubs {
  readonly data?: unknown;
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  readonly search?: unknown;
  readonly defaults?: object;
  readonly actions?: Readonly<Record<string, ActionStub | undefined>>;
  readonly submitted?: { readonly action: string; readonly outcome: StubOutcome };
  readonly loads?: Readonly<Record<string, AnyLoad | undefined>>;
  readonly layouts?: Readonly<Record<string, AnyLayout | undefined>>;
  readonly lang?: string;
}

type AnyLoad = (to: never) => DataOutcome | Promise<DataOutcome>;

interface AnyLayout {
  readonly data?: unknown;
  readonly actions?: AnyStubs["actions"];
}

/** A page of a test: what it was given, and what it has asked for. */
export class RecordPage implements StubbedPage {
  readonly navigations: RecordedNavigation[] = [];
  readonly submissions: RecordedSubmission[] = [];
  revalidations = 0;
  readonly #id: string;
  readonly #listeners = new Set<() => void>();
  readonly #pending = new Set<Promise<unknown>>();
  /** The last call of each slot: calls of a fetcher are queued. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** What forms show: the code of a browser reads it, and writes rows that come and go into it. */
  readonly #outcomes = new Map<string, FormEnd>();
  #stubs: AnyStubs;
  #context: PageContextValue;
  #address: string;
  #actionsPath: string | undefined;

  constructor(id: string, stubs: AnyStubs) {
    this.#id = id;
    this.#stubs = stubs;
    this.#context = this.#describe();
    this.#address = this.#full(this.#context);
  }

  get stubs(): AnyStubs {
    return this.#stubs;
  }

  /** Numbered if another page with this path is shown: forms of two pages must not share their state. */
  get actionsPath(): string {
    if (this.#actionsPath === undefined) {
      const path = this.#context.path.replace(/\/$/, "");
      this.#actionsPath = path;
      for (let nth = 2; stubRuntime.isTaken(this.#actionsPath); nth++) this.#actionsPath = `${path}~${nth}`;
    }
    return this.#actionsPath;
  }

  get address(): string {
    return this.#address;
  }

  readonly read = (): PageContextValue => this.#context;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  update(changes: AnyStubs): void {
    this.#stubs = { ...this.#stubs, ...changes };
    this.#context = this.#describe();
    this.#address = this.#full(this.#context);
    for (const listener of this.#listeners) listener();
  }

  /** Returns a function that removes it from the document again. */
  shown(): () => void {
    const hide = stubRuntime.show(this);
    // When the forms are in the document.
    queueMicrotask(() => watchForms(this.#asInBrowser()));
    return () => {
      hide();
      const isOwn = (name: string): boolean => name.startsWith(this.actionsPath + actionMarker);
      // Without a word to the listeners: those of this page go, and the state of others is the same.
      slots.all = new Map([...slots.all].filter(([name]) => !isOwn(name)));
      for (const names of [slots.dirty, slots.tracked])
        for (const name of names ?? []) if (isOwn(name)) names?.delete(name);
      this.#outcomes.clear();
      this.#actionsPath = undefined;
    };
  }

  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    // React renders what they have changed.
    await new Promise((resolve) => setTimeout(resolve));
  }

  navigate(to: string, { replace = false }: NavigateOptions = {}): void {
    const url = new URL(to, location.href);
    const isOwn = url.origin === location.origin;
    this.navigations.push({ to: isOwn ? url.pathname + url.search + url.hash : url.href, replace });
  }

  writeAddress(address: string): void {
    this.#address = address;
  }

  revalidate(): void {
    this.revalidations += 1;
  }

  /** As a browser does: rows come and go, and what a `check` refuses is not sent. */
  submit(press: Press): Promise<Posted> {
    return this.#track(pressForm(press, this.#asInBrowser()));
  }

  #asInBrowser(): ExtrasPage {
    return {
      slots,
      url: this.#address,
      outcomes: this.#outcomes,
      drafts: { keep: () => undefined, isStorable, hasControlled: () => false },
      unsaved: new Set(),
      confirmFirst: () => undefined,
      nameOf: formNameOf,
      tick: () => {
        const shown = [...this.#outcomes].map(([name, outcome]): [string, Slot] => [
          name,
          { sending: undefined, notice: undefined, ...slots.read(name), outcome },
        ]);
        slots.write(new Map([...slots.all, ...shown]));
      },
      send: (press) => this.#send(press),
    };
  }

  #send(press: Press): Promise<Posted> {
    const { pathname } = new URL(press.href, "http://a");
    const action = decodeURI(pathname.slice(pathname.indexOf(actionMarker) + actionMarker.length));
    const name = slotName(pathname, press.slot ?? String(press.form.get(slotField) ?? action));
    const before = press.calls === "parallel" ? undefined : this.#last.get(name);
    const run = async (): Promise<Posted> => {
      await before?.catch(() => undefined);
      return this.#run(press, action, name);
    };
    const answered = run();
    this.#last.set(name, answered);
    return answered;
  }

  async #run({ form, element, href: target }: Press, action: string, name: string): Promise<Posted> {
    const stub = this.#actionStub(action);
    if (!stub) throw pageErrors.noActionStub(action, this.#id);
    const texts = [...form].filter(([field, value]) => typeof value === "string" && !ownFields.has(field));
    const fields: Readonly<Record<string, string>> = Object.fromEntries(
      texts.map(([key, text]) => [key, String(text)]),
    );
    this.submissions.push({ action, fields, form });
    writeSlot(name, { sending: form, outcome: undefined, notice: undefined });
    if (element) pendingState.write({ state: "submitting", target, startedAt: performance.now(), form });
    let outcome: SubmissionOutcome | undefined;
    try {
      outcome = toOutcome(await stub(fields, form), typedTexts(texts, form));
    } finally {
      if (outcome) this.#outcomes.set(name, outcome);
      else this.#outcomes.delete(name);
      writeSlot(name, { sending: undefined, outcome, notice: undefined });
      if (element) pendingState.write({ state: "idle" });
    }
    if (outcome.kind === "done" && element) empty(element);
    if (outcome.kind === "redirected") this.navigate(outcome.to);
    return outcome;
  }

  load(href: string): Promise<DataOutcome> | undefined {
    const loads = Object.entries(this.#stubs.loads ?? {});
    const { pathname, searchParams: search } = new URL(href, "http://a");
    const routes = loads.map(([id]) => ({ segments: segmentsOfId(id) }));
    const match = createMatcher({ at: "", routes })(pathname);
    const stub = match.kind === "found" ? loads[match.index]?.[1] : undefined;
    if (match.kind !== "found" || !stub) return undefined;
    // The id of the stub says which parameters it takes, and the address matches that id.
    return this.#track(Promise.resolve(stub({ params: match.params, search } as never)));
  }

  #track<Answer>(answered: Promise<Answer>): Promise<Answer> {
    this.#pending.add(answered);
    // The caller has the promise too, and a stub that throws fails the test there.
    void answered.catch(() => undefined).then(() => this.#pending.delete(answered));
    return answered;
  }

  #actionStub(name: string): ActionStub | undefined {
    const layout = listLayouts(this.#stubs.layouts ?? {}).find(([folder]) => name.startsWith(layoutActions(folder)));
    return layout ? layout[1].actions?.[name.slice(layoutActions(layout[0]).length)] : this.#stubs.actions?.[name];
  }

  #describe(): PageContextValue {
    const { data, params = {}, search, defaults = {}, layouts = {}, submitted, lang } = this.#stubs;
    const id = this.#id;
    const written = writeDefaults(defaults);
    const folders = listLayouts(layouts);
    const view: View = {
      kind: "page",
      status: 200,
      route: 0,
      params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
      folders: folders.map((_folder, at) => at),
      data: [...folders.map(([, layout]) => layout.data), data, { search, params, defaults: written }],
      ...(submitted && { form: { slot: submitted.action, outcome: toOutcome(submitted.outcome, {}) } }),
      ...(lang !== undefined && { html: { lang, dir: textDirection(lang) ?? "ltr" } }),
    };
    const text = search ? (typedSearches?.write(typedSearches.withoutDefaults(Object(search), written)) ?? "") : "";
    return {
      path: href(id, params),
      search: text,
      route: id,
      params: view.params,
      view,
      routes: [{ id, page: true }],
      retry: () => this.revalidate(),
      caught: () => undefined,
    };
  }

  #full({ path, search }: PageContextValue): string {
    return new URL(path + search, typeof location === "undefined" ? "http://localhost" : location.href).href;
  }
}

/** From the outermost: the name of a folder begins with those around it. */
export function listLayouts<Layout>(
  layouts: Readonly<Record<string, Layout | undefined>>,
): (readonly [folder: string, layout: Layout])[] {
  return Object.entries(layouts)
    .flatMap(([folder, layout]) => (layout === undefined ? [] : [[folder, layout] as const]))
    .sort(([one], [other]) => one.length - other.length);
}

const ownFields: ReadonlySet<string> = new Set([slotField, keyField, rowsField, fromField]);

function writeSlot(name: string, slot: Slot): void {
  slots.write(new Map([...slots.all, [name, slot]]));
}

/** As the server sends them back, with the rows of lists. */
function typedTexts(fields: readonly (readonly [string, FormDataEntryValue])[], form: FormData): FieldValues {
  const values = Object.fromEntries(
    [...valuesByName(fields)].map(([name, sent]) => {
      const [first = "", ...more] = sent.map(String);
      return [name, more.length > 0 ? [first, ...more] : first];
    }),
  );
  const rows = readRows(form.getAll(rowsField).map(String));
  return rows.length > 0 ? { ...values, [rowsField]: rows } : values;
}

function toOutcome(stub: StubOutcome, values: FieldValues): SubmissionOutcome {
  switch (stub.kind) {
    case "done":
      return { kind: "done", result: stub.result };
    case "invalid":
      return { kind: "invalid", fields: listMessages(stub.fields ?? {}), form: [stub.form ?? []].flat(), values };
    case "failed":
      return { ...stub, status: stub.status ?? 500 };
    case "redirected":
      return stub;
  }
}

function listMessages(fields: Readonly<Record<string, string | readonly string[] | undefined>>): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, messages]) => (messages === undefined ? [] : [[name, [messages].flat()]])),
  );
}
