import type { FormHTMLAttributes, ReactNode } from "react";
import type { ActionRef } from "#routes";
import type { FieldValues } from "../view.ts";
import { usePage } from "./page-context.ts";
import { useNavigation } from "./use-navigation.ts";

/** What a form's inside needs to know. */
export interface FormState {
  /** Attributes for an input: its name, what was typed before, and where its error is. */
  field(name: string): {
    name: string;
    defaultValue: string | undefined;
    "aria-invalid": true | undefined;
    "aria-describedby": string | undefined;
  };
  /** Attributes and text for the error of a field: show it in any element. Undefined when there is none. */
  error(name: string): { id: string; children: string } | undefined;
  /** Errors that belong to no field. */
  errors: readonly string[];
  /** What the action returned, once it has succeeded. */
  result: unknown;
  pending: boolean;
  /** While pending: what is being sent, for showing what will be true once it has arrived. */
  sending: FormData | undefined;
}

export interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, "action" | "method" | "children"> {
  /** One of the page's `actions`. */
  action: ActionRef;
  children?: ReactNode | ((form: FormState) => ReactNode);
}

/**
 * A form that posts to an action of the page. Without script the browser posts it; with script the page stays, and what was typed with it.
 *
 * @example <Form action={actions.rename}>{(f) => <><input {...f.field("name")} /><p {...f.error("name")} /></>}</Form>
 */
export function Form({ action, children, ...rest }: FormProps): ReactNode {
  const state = useFormState(action);
  return (
    <form {...rest} method="post" action={action.href} aria-busy={state.pending || undefined}>
      {typeof children === "function" ? children(state) : children}
    </form>
  );
}

function useFormState(action: ActionRef): FormState {
  const { view } = usePage();
  const { state, form: sent, target } = useNavigation();
  const form = view.kind === "page" ? view.form : undefined;
  const outcome = form?.slot === action.name ? form.outcome : undefined;
  const invalid = outcome?.kind === "invalid" ? outcome : undefined;
  const pending = state === "submitting" && target !== undefined && new URL(target).pathname === action.href;
  const idOf = (name: string): string => `${action.name}-${name}-error`;
  return {
    field: (name) => ({
      name,
      defaultValue: firstOf(invalid?.values, name),
      "aria-invalid": invalid?.fields[name] ? true : undefined,
      "aria-describedby": invalid?.fields[name] ? idOf(name) : undefined,
    }),
    error: (name) => {
      const messages = invalid?.fields[name];
      return messages && { id: idOf(name), children: messages.join(" ") };
    },
    errors: invalid?.form ?? [],
    result: outcome?.kind === "done" ? outcome.result : undefined,
    pending,
    sending: pending ? sent : undefined,
  };
}

function firstOf(values: FieldValues | undefined, name: string): string | undefined {
  const value = values?.[name];
  return typeof value === "string" || value === undefined ? value : value[0];
}
