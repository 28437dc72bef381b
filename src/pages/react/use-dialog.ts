import { type PageDialog, usePage } from "./page-context.ts";

/**
 * Returns the dialog that the current page is shown in. Undefined where it is shown as a whole page.
 *
 * @example const dialog = useDialog(); return dialog && <button onClick={dialog.close}>Close</button>
 */
export function useDialog(): PageDialog | undefined {
  return usePage().dialog;
}
