import type { ActionRef, AfterTarget, PageActions, PageId } from "#routes";
import { href, type ParamInput } from "#routes/href";
import { actionRefs } from "./actions.ts";

/**
 * The actions of another page, for a form or fetcher. The guards of that page run, and the action has its parameters.
 * The outcome is shown where the form is.
 *
 * @example <Form action={actionsOf("/orders/[id]", { id: 7 }).rename}>…</Form>
 */
export function actionsOf<const Id extends PageId>(page: Id, ...[params]: AfterTarget<NoInfer<Id>>): PageActions<Id> {
  const path = href(page, params as ParamInput | undefined);
  const refs = actionRefs({ path, search: "" });
  return new Proxy(refs, {
    // The name distinguishes it from an action of the same name of the page that is shown, or of other parameters.
    get: (_refs, name): ActionRef | undefined => {
      const ref = typeof name === "string" ? refs[name] : undefined;
      return ref && { name: `${ref.name} ${path}`, href: ref.href, isElsewhere: true };
    },
    // The page has the actions that its types name.
  }) as PageActions<Id>;
}
