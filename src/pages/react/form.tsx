import { type FormHTMLAttributes, type ReactNode, useEffect } from "react";
import type { ActionRef } from "#routes";
import { languages } from "#routes/href";
import { fromField, keyField, slotField } from "../page-data.ts";
import * as english from "../texts/english.ts";
import type { CheckOf, ChoiceOf, FieldName, FieldsOf, ListName, MessageName, ResultOf } from "./action-types.ts";
import { pendingState } from "./browser-runtime.ts";
import { failureReason } from "./failure-reason.ts";
import { usePage } from "./page-context.ts";
import { type DraftValues, type SubmissionState, slots, useSlot } from "./slots.ts";

// A page with forms is shown by a navigation when the code that keeps typed text is loaded too.
pendingState.hasForms = true;

/** State of one form, for its children. Names and result have the types of its action. */
export type FormState<Action = unknown> = StateOf<
  FieldName<Action>,
  MessageName<Action>,
  ListName<Action>,
  ResultOf<Action>,
  ChoiceOf<Action>
>;

/** A field's name, and a reference to its error. */
interface NamedField {
  name: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

/** By names and result, so that a part for any form takes the state of each. */
interface StateOf<
  Name extends string,
  About extends string,
  List extends string,
  Result,
  Choice extends readonly unknown[],
> {
  /**
   * Attributes for an input, a textarea or a select: its name, its earlier value, and a reference to its error. For
   * `<select multiple>` the name ends with `[]`.
   */
  field(name: Name & `${string}[]`): NamedField & { defaultValue?: readonly string[] };
  field(name: Name): NamedField & { defaultValue?: string };
  /**
   * Attributes for a checkbox or a radio: its name and value, whether it was ticked before, and a reference to its
   * error. `chosen` is what is chosen at first: the value, the values of several checkboxes, or true.
   *
   * @example
   * <input type="radio" {...form.choice("size", "m", data.size)} />
   * <input type="checkbox" {...form.choice("colors[]", "red", data.colors)} />
   * <input type="checkbox" {...form.choice("news")} />
   */
  choice(...nameAndValue: Choice): NamedField & { value: string; defaultChecked: boolean };
  /**
   * Attributes and text for the error of a field, for any element. Undefined without an error. Also of an object or a
   * row as a whole, which its fields refer to, and of a list of rows: `address`, `lines[0]`, `lines`.
   */
  error(name: About): { id: string; children: string } | undefined;
  /** For types only: the lists whose rows `<FormRows>` shows. */
  readonly lists?: List;
  /** Errors that belong to no field. */
  errors: readonly string[];
  /**
   * Every message, including those of fields, with the name of its field and the id that `error` gives: for a summary.
   */
  all: readonly { name: string; id: string; message: string }[];
  /** The result of the action, once it has succeeded. */
  result: Result | undefined;
  /** The outcome, or the state of a submission whose response is lost. */
  outcome: SubmissionState<Result> | undefined;
  /**
   * What was typed earlier, after a return or a reload. The framework restores it into fields; fields whose value is in
   * the application's own state read it here.
   */
  draft: DraftValues | undefined;
  /** Whether something was typed that was not sent with success, or a draft was restored. */
  readonly dirty: boolean;
  pending: boolean;
  /** While pending: the form data being sent, for optimistic rendering. */
  sending: FormData | undefined;
  /**
   * While a large form is being sent: the share of it that has left, from 0 to 1, as `<progress value>` takes it.
   * Undefined for a form that is sent in no time, such as one without files.
   */
  progress: number | undefined;
}

export interface FormProps<Action = unknown, Sent = FieldsOf<Action>>
  extends Omit<FormHTMLAttributes<HTMLFormElement>, "action" | "method" | "children"> {
  /** One of the page's `actions`. */
  action: ActionRef<Action>;
  /** Distinguishes several forms of one action: the id of its row. */
  of?: string | number;
  /** Keeps the typed text after success; otherwise the form is emptied. */
  keepText?: boolean;
  /** False if the form itself shows failures and lost responses by `outcome`. */
  notices?: boolean;
  /**
   * The action's schema, or a function that imports it. The browser checks the form by it before it is sent, and shows
   * the messages where the server's would be. The server checks it in any case.
   */
  check?: CheckOf<Action, Sent> | undefined;
  /** Asks before the visitor leaves the page while the form is `dirty`: true, or the question. */
  confirmLeave?: boolean | string | undefined;
  children?: ReactNode | ((form: FormState<Action>) => ReactNode);
}

/**
 * A form that posts to an action of the page. Without script the browser posts it; with script the page and the typed
 * text stay.
 *
 * @example
 * <Form action={actions.rename} of={row.id}>
 *   {(form) => <><input {...form.field("name")} /><p {...form.error("name")} /></>}
 * </Form>
 */
export function Form<Action, Sent = FieldsOf<Action>>({
  action,
  of,
  keepText,
  notices = true,
  check,
  confirmLeave,
  children,
  ...rest
}: FormProps<Action, Sent>): ReactNode {
  const { slot, notice, ...now } = useSlot(action, of);
  const { name } = now;
  const { submissionKey, path, search } = usePage();
  useEffect(() => {
    if (check) slots.checks.set(name, check);
    return () => void slots.checks.delete(name);
  }, [name, check]);
  const state = toState(now);
  return (
    <form
      {...rest}
      method="post"
      action={action.href}
      aria-busy={state.pending || undefined}
      data-keep-text={keepText ? "" : undefined}
      data-confirm-leave={confirmLeave === true ? "" : confirmLeave || undefined}
    >
      <input type="hidden" name={slotField} value={slot} />
      {/* For a post by the browser itself. Only the server knows the value; scripts send their own. */}
      <input type="hidden" name={keyField} value={submissionKey} suppressHydrationWarning />
      {/* Without script, the visitor returns to this page. */}
      {action.isElsewhere && <input type="hidden" name={fromField} value={path + search} />}
      {/* The server ran this action, so the result has the type that its reference carries. */}
      {typeof children === "function" ? children(state as FormState<Action>) : children}
      {notices && (notice ?? failureOf(state.outcome))}
    </form>
  );
}

type SlotNow = Pick<ReturnType<typeof useSlot>, "id" | "name" | "sending" | "progress" | "outcome" | "draft">;

function toState({ id, name, outcome, draft, sending, progress }: SlotNow): FormState {
  const invalid = outcome?.kind === "invalid" ? outcome : undefined;
  const values = outcome && "values" in outcome ? outcome.values : undefined;
  const errors = invalid?.form ?? [];
  const idOf = (name: string): string => `${id}${name}-error`;
  /** What was sent under a name. Undefined where the form's own default applies. */
  const sentAs = (name: string): readonly string[] | undefined => {
    // What is not ticked sends nothing. So does a row that was added since, and what is never sent back.
    const [row] = /^.*]\./s.exec(name) ?? [];
    const isNew = row && !Object.keys(values ?? {}).some((sent) => sent.startsWith(row));
    return !values || isNew || secretName.test(name) ? undefined : [values[name] ?? []].flat();
  };
  const named = (name: string): NamedField => {
    let wrong = fieldOf(name);
    // Without a message of its own, that of the row or object that it is in.
    while (wrong && !invalid?.fields[wrong]) wrong = wrong.slice(0, Math.max(0, wrong.lastIndexOf(".")));
    return { name, "aria-invalid": wrong ? true : undefined, "aria-describedby": wrong ? idOf(wrong) : undefined };
  };
  function field(name: `${string}[]`): NamedField & { defaultValue?: readonly string[] };
  function field(name: string): NamedField & { defaultValue?: string };
  function field(name: string): NamedField & { defaultValue?: string | readonly string[] } {
    const sent = sentAs(name);
    const value = fieldOf(name) === name ? sent?.[0] : sent;
    // Without an earlier value, the form's own default applies.
    return { ...named(name), ...(value !== undefined && { defaultValue: value }) };
  }
  const state: Omit<FormState, "dirty"> & Pick<SlotNow, "name"> = {
    field,
    choice: (name, value = "on", chosen) => ({
      ...named(name),
      value,
      // Always said: React does not take back an earlier one.
      defaultChecked: (sentAs(name) ?? [chosen === true ? value : chosen].flat()).includes(value),
    }),
    error: (name) => {
      const messages = invalid?.fields[fieldOf(name)];
      return messages && { id: idOf(fieldOf(name)), children: messages.join(" ") };
    },
    errors,
    all: Object.entries({ "": errors, ...invalid?.fields }).flatMap(([name, messages]) =>
      messages.map((message) => ({ name, id: idOf(name), message })),
    ),
    result: outcome?.kind === "done" ? outcome.result : undefined,
    outcome,
    draft,
    pending: sending !== undefined,
    sending,
    progress,
    // `dirty` reads it.
    name,
  };
  return Object.defineProperty(state, "dirty", ownDirty) as typeof state & FormState;
}

/** As `secretField`, whose file would come into the first load of every page. A test compares them. */
const secretName = /password|passwd|secret|token|card|cvc/i;

/** Messages are about `colors`, however many `colors[]` there are. */
function fieldOf(name: string): string {
  return name.replace(/\[]$/, "");
}

/**
 * Only forms that read `dirty` are watched. Each state has the getter itself, so that `{ ...form }` copies its value.
 * One function for all: with a new one, V8 would give each object a hidden class of its own, which lives until a full
 * collection.
 */
const ownDirty = {
  enumerable: true,
  get(this: Pick<SlotNow, "name">): boolean {
    slots.tracked?.add(this.name);
    return slots.dirty.has(this.name);
  },
};

/** Explains to the visitor why the submission failed. */
function failureOf(outcome: SubmissionState | undefined): ReactNode {
  if (outcome?.kind !== "failed") return undefined;
  const { digest, message } = outcome;
  const reason = failureReason(outcome);
  const stillHere = languages ? languages.text("stillHere") : english.stillHere;
  const under = languages ? languages.text("digest") : english.digest;
  return <p role="alert">{message ?? [reason, stillHere, digest && `${under}: ${digest}`].join(" ")}</p>;
}
