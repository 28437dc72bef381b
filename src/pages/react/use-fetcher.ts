import { useCallback, useState } from "react";
import type { ActionRef, PageId } from "#routes";
import type { FieldsToSend, ResultOf, SentFields } from "./action-types.ts";
import { type CallOptions, runtime } from "./browser-runtime.ts";
import { type Posted, type SubmissionState, useSlot } from "./slots.ts";
import { type DataFetcher, type DataFetcherOptions, useDataFetcher } from "./use-data-fetcher.ts";

export type Fields = FormData | SentFields;

interface Sending<Result = unknown> {
  pending: boolean;
  /** The form data, while it is being sent. */
  sending: FormData | undefined;
  /** The share of large form data that has been sent, from 0 to 1. */
  progress: number | undefined;
  outcome: SubmissionState<Result> | undefined;
  /**
   * Form data of its calls, in order, as far as the page's data does not show their result yet: for `useOptimistic`.
   */
  calls: readonly FormData[];
}

export interface Fetcher extends Sending {
  /**
   * Posts to an action of the page. The same fields twice while pending are one submission; `calls` says what becomes
   * of other fields.
   */
  post(action: ActionRef, fields: Fields): Promise<Posted>;
}

/** A fetcher of one action, with the types of its fields and its result. */
export interface ActionFetcher<Action = unknown> extends Sending<ResultOf<Action>> {
  /** Like `Fetcher.post`. */
  post(
    ...fields: Record<never, never> extends FieldsToSend<Action>
      ? [fields?: FieldsToSend<Action> | FormData]
      : [fields: FieldsToSend<Action> | FormData]
  ): Promise<Posted<ResultOf<Action>>>;
}

/** By default, calls are queued. `retry` is on for those that replace each other. */
export interface FetcherOptions extends Partial<CallOptions> {
  /**
   * Distinguishes several fetchers of one action: the id of its row. A form with the same action and `of` shares its
   * state.
   */
  of?: string | number;
  /** False if the page itself shows a lost response by `outcome`. */
  notices?: boolean;
}

/**
 * Calls an action without navigating: for a star, a toggle, a row of a list. The page's data is loaded again after it.
 *
 * @example
 * const star = useFetcher(actions.star, { of: id });
 * <button onClick={() => star.post({ id })} disabled={star.pending}>★</button>
 */
export function useFetcher<Action>(action: ActionRef<Action>, options?: FetcherOptions): ActionFetcher<Action>;
export function useFetcher(action?: undefined, options?: FetcherOptions): Fetcher;
/**
 * Loads the data of another page without navigating: for a preview, a dialog, a list that grows.
 *
 * @example
 * const preview = useFetcher("/orders/[id]");
 * <button onClick={() => preview.load({ id })}>Preview</button>
 */
export function useFetcher<const Id extends PageId>(page: Id, options?: DataFetcherOptions): DataFetcher<Id>;
export function useFetcher(target?: ActionRef | string, options: FetcherOptions & DataFetcherOptions = {}): object {
  // A call in one place of a component always has the same kind of target, so its hooks stay the same.
  // biome-ignore lint/correctness/useHookAtTopLevel: see above
  return typeof target === "string" ? useDataFetcher(target, options) : useActionFetcher(target, options);
}

function useActionFetcher(
  ref: ActionRef | undefined,
  { of, notices, calls, retry }: FetcherOptions,
): Fetcher | ActionFetcher {
  const [last, setLast] = useState<ActionRef>();
  const action = ref ?? last;
  const { id, sending, progress, outcome, calls: open = none } = useSlot(action, of);
  const { name, href } = ref ?? {};
  const instance = of ?? id;
  const send = useCallback(
    (to: ActionRef, fields: Fields) => {
      setLast(to);
      const form = fields instanceof FormData ? fields : toForm(fields);
      const slot = `${to.name} ${instance}`;
      return runtime("useFetcher").submit({ href: to.href, slot, form, notices, calls, retry });
    },
    [instance, notices, calls, retry],
  );
  const post = useCallback(
    (...args: [ActionRef, Fields] | [Fields?]): Promise<Posted> =>
      name !== undefined && href !== undefined
        ? send({ name, href }, (args[0] as Fields | undefined) ?? {})
        : send(args[0] as ActionRef, args[1] as Fields),
    [send, name, href],
  );
  return { post, pending: sending !== undefined, sending, progress, outcome, calls: open };
}

const none: readonly FormData[] = [];

function toForm(fields: SentFields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) append(form, name, value);
  return form;
}

/** Under the names that a form would have: `address.city`, `lines[0].amount`. */
function append(form: FormData, name: string, value: SentFields[string]): void {
  if (value === undefined) return;
  if (typeof value === "string" || value instanceof Blob) return form.append(name, value);
  for (const [key, one] of Object.entries(value))
    append(form, Array.isArray(value) ? `${name}[${key}]` : `${name}.${key}`, one);
}
