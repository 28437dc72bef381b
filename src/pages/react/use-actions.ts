import type { ActionRefs } from "#routes";
import * as pageErrors from "../errors.ts";
import { actionRefs } from "./actions.ts";
import { usePage } from "./page-context.ts";

/** What the build puts in place of a file of actions. */
interface ActionsFile {
  readonly "~start"?: string;
}

/**
 * The actions of a component's own file, for its forms and fetchers. Their outcome belongs to the page that is shown,
 * where the visitor stays.
 *
 * @example
 * import { actions } from "./cart.actions.server.ts";
 * const { add } = useActions(actions);
 */
export function useActions<Actions extends Readonly<Record<string, { readonly kind: "action" }>>>(
  actions: Actions,
): ActionRefs<Actions> {
  const { "~start": start } = actions as ActionsFile;
  if (start === undefined) throw pageErrors.noActionsFile();
  // The file has the actions that its type names.
  return actionRefs(usePage(), start) as ActionRefs<Actions>;
}
