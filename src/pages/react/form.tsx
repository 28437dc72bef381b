import type { FormHTMLAttributes, ReactNode } from "react";
import type { ActionRef } from "#routes";
import { keyField, slotField } from "../page-data.ts";
import type { FieldValues } from "../view.ts";
import { usePage } from "./page-context.ts";
import { type DraftValues, type SubmissionState, useSlot } from "./slots.ts";

/** What a form's inside needs to know. All of it is about this one form. */
export interface FormState {
  /** Attributes for an input: its name, what was typed before, and where its error is. */
  field(name: string): {
    name: string;
    defaultValue?: string;
    "aria-invalid": true | undefined;
    "aria-describedby": string | undefined;
  };
  /** Attributes and text for the error of a field: show it in any element. Undefined when there is none. */
  error(name: string): { id: string; children: string } | undefined;
  /** Errors that belong to no field. */
  errors: readonly string[];
  /**
   * Every message, those of fields too, each with the name of its field and the id that `error` gives: for a summary.
   */
  all: readonly { name: string; id: string; message: string }[];
  /** What the action returned, once it has succeeded. */
  result: unknown;
  /** How it ended, or that its answer is lost. */
  outcome: SubmissionState | undefined;
  /**
   * What was typed here before, where the visitor has come back to it or has reloaded the page. Fields have it again by
   * themselves; those whose value the application keeps in its own state take it from here.
   */
  draft: DraftValues | undefined;
  pending: boolean;
  /** While pending: what is being sent, for showing what will be true once it has arrived. */
  sending: FormData | undefined;
}

export interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, "action" | "method" | "children"> {
  /** One of the page's `actions`. */
  action: ActionRef;
  /** Which of several forms of one action this is: the id of its row. */
  of?: string | number;
  /** Leaves what was typed after it was sent; otherwise the form is emptied. */
  keepText?: boolean;
  /** False where the form shows by `outcome` itself that it failed or that its answer is lost. */
  notices?: boolean;
  children?: ReactNode | ((form: FormState) => ReactNode);
}

/**
 * A form that posts to an action of the page. Without script the browser posts it; with script the page stays, and what
 * was typed with it.
 *
 * @example
 * <Form action={actions.rename} of={row.id}>
 *   {(form) => <><input {...form.field("name")} /><p {...form.error("name")} /></>}
 * </Form>
 */
export function Form({ action, of, keepText, notices = true, children, ...rest }: FormProps): ReactNode {
  const { slot, notice, ...now } = useSlot(action, of);
  const state = toState(now);
  return (
    <form
      {...rest}
      method="post"
      action={action.href}
      aria-busy={state.pending || undefined}
      data-keep-text={keepText ? "" : undefined}
    >
      <input type="hidden" name={slotField} value={slot} />
      {/* For a browser that posts it itself. Only the server knows the value; scripts send one of their own. */}
      <input type="hidden" name={keyField} value={usePage().submissionKey} suppressHydrationWarning />
      {typeof children === "function" ? children(state) : children}
      {notices && (notice ?? failureOf(state.outcome))}
    </form>
  );
}

type SlotNow = Pick<ReturnType<typeof useSlot>, "id" | "sending" | "outcome" | "draft">;

function toState({ id, sending, outcome, draft }: SlotNow): FormState {
  const invalid = outcome?.kind === "invalid" ? outcome : undefined;
  const values = outcome && "values" in outcome ? outcome.values : undefined;
  const idOf = (name: string): string => `${id}${name}-error`;
  return {
    field: (name) => {
      const value = firstOf(values, name);
      return {
        name,
        // Where nothing was typed, the default of the form itself stands.
        ...(value !== undefined && { defaultValue: value }),
        "aria-invalid": invalid?.fields[name] ? true : undefined,
        "aria-describedby": invalid?.fields[name] ? idOf(name) : undefined,
      };
    },
    error: (name) => {
      const messages = invalid?.fields[name];
      return messages && { id: idOf(name), children: messages.join(" ") };
    },
    errors: invalid?.form ?? [],
    all: Object.entries({ "": invalid?.form ?? [], ...invalid?.fields }).flatMap(([name, messages]) =>
      messages.map((message) => ({ name, id: idOf(name), message })),
    ),
    result: outcome?.kind === "done" ? outcome.result : undefined,
    outcome,
    draft,
    pending: sending !== undefined,
    sending,
  };
}

/** Why it was not done, for the person who sent it. */
function failureOf(outcome: SubmissionState | undefined): ReactNode {
  if (outcome?.kind !== "failed") return undefined;
  const { status, why, digest } = outcome;
  const reason = status < 500 ? "This was not taken." : "A server-side exception has occurred.";
  return (
    <p role="alert">
      {reasons[why ?? status] ?? reason} What you typed is still here.{digest && ` Digest: ${digest}`}
    </p>
  );
}

const reasons: Partial<Record<string | number, string>> = {
  401: "Sign in in another tab, then send this again.",
  413: "This is too large.",
  "other-visitor": "Somebody else has signed in since.",
  unknown: "This may have been received. Look before you send it again.",
  "still-running": "This has been received, and takes long.",
};

function firstOf(values: FieldValues | undefined, name: string): string | undefined {
  const value = values?.[name];
  return typeof value === "string" || value === undefined ? value : value[0];
}
