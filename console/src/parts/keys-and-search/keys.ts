import { useEffect } from "react";

/** Storage key of the setting that turns single keys off. */
export const keysSetting = "holdfast-keys";

/**
 * Keyboard control of the console. A key belongs to the control with its `data-key` and clicks it, so that every
 * function of a key is visible. Those of a list act on its rows; their code is loaded when it is first needed.
 */
export function useKeys(): void {
  useEffect(() => {
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || localStorage.getItem(keysSetting) === "off") return;
  const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  if (event.key === "Escape") document.querySelector(".toolbar .menu[open]")?.removeAttribute("open");
  if (!isPalette && (event.ctrlKey || event.metaKey || isTyping(event.target))) return;
  if (act(isPalette ? "/" : event.key)) event.preventDefault();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
}

/** Returns whether the key had a function. */
function act(key: string): boolean {
  const control = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  const list = /^[jkxo]$/i.test(key) ? document : control?.closest("form");
  if (list?.querySelector("[data-row]")) void withRows((rows) => rows.actOnRows(key, control));
  else if (control) use(control);
  return control !== null || list === document;
}

let rowsCode: Promise<typeof import("./rows.ts")> | undefined;

/**
 * Calls are made in their order, because they wait for the same promise: a second import may end before the first.
 * Without the code, a list works by pointer, row by row.
 */
export function withRows(call: (rows: typeof import("./rows.ts")) => void): Promise<void> {
  rowsCode ??= import("./rows.ts");
  return rowsCode.then(call, () => {
    rowsCode = undefined;
  });
}

/** Focuses a field, also in a closed menu, and presses everything else. */
export function use(control: HTMLElement): void {
  if (!(control instanceof HTMLInputElement)) return control.click();
  control.closest("details")?.setAttribute("open", "");
  control.select();
  control.focus();
}
