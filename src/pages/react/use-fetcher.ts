import { useCallback, useRef, useState } from "react";
import type { ActionRef } from "#routes";
import { type Posted, runtime } from "./browser-runtime.ts";

export interface Fetcher {
  /** Posts to an action of the page without navigating. A second call while one is under way gives that one's outcome. */
  post(action: ActionRef, fields: FormData | Readonly<Record<string, string | Blob>>): Promise<Posted>;
  pending: boolean;
  /** What is being sent, while it is. */
  sending: FormData | undefined;
  outcome: Posted | undefined;
}

/**
 * Calls an action and stays where the visitor is: for a star, a toggle, a row of a list. The page's data is fetched anew afterwards.
 *
 * @example const star = useFetcher(); <button onClick={() => star.post(actions.star, { id })} disabled={star.pending}>★</button>
 */
export function useFetcher(): Fetcher {
  const [sending, setSending] = useState<FormData>();
  const [outcome, setOutcome] = useState<Posted>();
  const underway = useRef<Promise<Posted>>(undefined);
  const post = useCallback<Fetcher["post"]>((action, fields) => {
    underway.current ??= (async () => {
      const form = fields instanceof FormData ? fields : toForm(fields);
      setSending(form);
      const posted = await runtime("useFetcher").post(action.href, form);
      underway.current = undefined;
      setSending(undefined);
      setOutcome(posted);
      return posted;
    })();
    return underway.current;
  }, []);
  return { post, pending: sending !== undefined, sending, outcome };
}

function toForm(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
