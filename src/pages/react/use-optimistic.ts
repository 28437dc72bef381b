import { useEffect, useMemo, useState } from "react";
import { languages } from "#routes/href";
import * as english from "../texts/english.ts";
import type { FieldsToSend } from "./action-types.ts";
import { runtimeIfRunning } from "./browser-runtime.ts";
import { failureReason } from "./failure-reason.ts";
import type { SubmissionState } from "./slots.ts";
import type { ActionFetcher, Fetcher } from "./use-fetcher.ts";

/** Fields of a call as text; a file has its name. */
export type CallFields<Action> =
  FieldsToSend<Action> extends infer Fields ? { readonly [Name in keyof Fields]: string } : never;

export interface OptimisticOptions {
  /** False if the page shows `message` itself. Otherwise it is an alert at the edge of the window. */
  notices?: boolean;
}

export interface Optimistic<Value> {
  /** The value with the calls whose result the page does not show yet. */
  value: Value;
  /** Why the last call was taken back. Undefined once another call is made. */
  message: string | undefined;
}

/**
 * Shows a value as it will be once the calls of a fetcher are done. A call that fails is taken back, with a message for
 * the visitor.
 *
 * @example
 * const star = useFetcher(actions.star, { of: id });
 * const stars = useOptimistic(star, data.stars, (stars, { more }) => stars + Number(more));
 */
export function useOptimistic<Action, Value>(
  fetcher: ActionFetcher<Action>,
  value: Value,
  apply: (value: Value, fields: CallFields<Action>) => Value,
  options?: OptimisticOptions,
): Optimistic<Value>;
export function useOptimistic<Value>(
  fetcher: Fetcher,
  value: Value,
  apply: (value: Value, fields: Readonly<Record<string, string>>) => Value,
  options?: OptimisticOptions,
): Optimistic<Value>;
export function useOptimistic<Value>(
  { calls, outcome }: Pick<Fetcher, "calls" | "outcome">,
  value: Value,
  apply: (value: Value, fields: never) => Value,
  { notices = true }: OptimisticOptions = {},
): Optimistic<Value> {
  const fields = useMemo(() => calls.map(fieldsOf), [calls]);
  const isBusy = calls.length > 0;
  // While calls are pending, newer data may have the results of some of them.
  const [series, setSeries] = useState<{ base: Value }>();
  if (isBusy && !series) setSeries({ base: value });
  if (!isBusy && series) setSeries(undefined);
  const message = useMessage(outcome, isBusy);
  useEffect(() => (message && notices ? runtimeIfRunning()?.say?.(message) : undefined), [message, notices]);
  const base = isBusy && series ? series.base : value;
  return { value: fields.reduce((before, one) => apply(before, one as never), base), message };
}

/** The message of a failed call stays while others of the same series succeed, and goes with the next series. */
function useMessage(outcome: SubmissionState | undefined, isBusy: boolean): string | undefined {
  const [seen, setSeen] = useState<Seen>(unseen);
  if (seen.outcome === outcome && seen.isBusy === isBusy) return seen.message;
  const isNew = seen.outcome !== outcome;
  const before = isBusy && !seen.isBusy ? undefined : seen.message;
  const message = (isNew ? messageOf(outcome) : undefined) ?? before;
  setSeen({ outcome, isBusy, message });
  return message;
}

interface Seen {
  outcome: SubmissionState | undefined;
  isBusy: boolean;
  message: string | undefined;
}

const unseen: Seen = { outcome: undefined, isBusy: false, message: undefined };

function messageOf(outcome: SubmissionState | undefined): string | undefined {
  if (outcome?.kind === "invalid") {
    const messages = [...outcome.form, ...Object.values(outcome.fields).flat()];
    return messages.join(" ") || (languages ? languages.text("notTaken") : english.notTaken);
  }
  if (outcome?.kind !== "failed") return undefined;
  const { digest, message } = outcome;
  const under = languages ? languages.text("digest") : english.digest;
  return message ?? [failureReason(outcome), digest && `${under}: ${digest}`].filter(Boolean).join(" ");
}

function fieldsOf(form: FormData): Record<string, string> {
  return Object.fromEntries([...form].map(([name, value]) => [name, typeof value === "string" ? value : value.name]));
}
