import { useCallback, useState } from "react";
import type { ActionRef } from "#routes";
import { runtime } from "./browser-runtime.ts";
import { type Posted, type SubmissionState, useSlot } from "./slots.ts";

export type Fields = FormData | Readonly<Record<string, string | Blob>>;

interface Sending {
  pending: boolean;
  /** What is being sent, while it is. */
  sending: FormData | undefined;
  outcome: SubmissionState | undefined;
}

export interface Fetcher extends Sending {
  /**
   * Posts to an action of the page. The same fields twice while they are being sent are one; other fields are sent
   * after them.
   */
  post(action: ActionRef, fields: Fields): Promise<Posted>;
}

/** A fetcher of one action. */
export interface ActionFetcher extends Sending {
  /** As `Fetcher.post`. */
  post(fields?: Fields): Promise<Posted>;
}

export interface FetcherOptions {
  /**
   * Which of several fetchers of one action this is: the id of its row. A form with the same action and `of` has the
   * same state.
   */
  of?: string | number;
  /** False where the page shows by `outcome` itself that an answer is lost. */
  notices?: boolean;
}

/**
 * Calls an action and stays where the visitor is: for a star, a toggle, a row of a list. The page's data is asked for
 * again afterwards.
 *
 * @example
 * const star = useFetcher(actions.star, { of: id });
 * <button onClick={() => star.post({ id })} disabled={star.pending}>★</button>
 */
export function useFetcher(action: ActionRef, options?: FetcherOptions): ActionFetcher;
export function useFetcher(action?: undefined, options?: FetcherOptions): Fetcher;
export function useFetcher(given?: ActionRef, { of, notices = true }: FetcherOptions = {}): Fetcher | ActionFetcher {
  const [last, setLast] = useState<ActionRef>();
  const action = given ?? last;
  const { id, sending, outcome } = useSlot(action, of);
  const { name, href } = given ?? {};
  const instance = of ?? id;
  const send = useCallback(
    (to: ActionRef, fields: Fields) => {
      setLast(to);
      const form = fields instanceof FormData ? fields : toForm(fields);
      return runtime("useFetcher").submit({ href: to.href, slot: `${to.name} ${instance}`, form, notices });
    },
    [instance, notices],
  );
  const post = useCallback(
    (...args: [ActionRef, Fields] | [Fields?]): Promise<Posted> =>
      name !== undefined && href !== undefined
        ? send({ name, href }, (args[0] as Fields | undefined) ?? {})
        : send(args[0] as ActionRef, args[1] as Fields),
    [send, name, href],
  );
  return { post, pending: sending !== undefined, sending, outcome };
}

function toForm(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
