import * as pageErrors from "../../errors.ts";
import { type AfterContext, visitScope } from "./visit-scope.ts";

/**
 * Runs work when the response has been sent: a mail, a line in a log, a call that no visitor waits for. Belongs to the
 * request hook, a guard, load, action or API route. Its errors are reported, and a stopping server waits for it.
 *
 * @example after(async ({ signal }) => sendReceipt(order, signal));
 */
export function after(run: (context: AfterContext) => unknown): void {
  const scope = visitScope.getStore();
  if (!scope) throw pageErrors.afterOutsideRequest();
  scope.runAfter(run);
}
