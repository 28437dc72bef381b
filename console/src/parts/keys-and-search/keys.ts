import { useEffect } from "react";

/** Storage key of the setting that turns single keys off. */
export const keysSetting = "holdfast-keys";

/**
 * Keyboard control of the console. `j` and `k` move through the rows of a list, `x` chooses the focused one. Every
 * other key belongs to the control with its `data-key` and clicks it, so that every function of a key is visible.
 */
export function useKeys(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || localStorage.getItem(keysSetting) === "off") return;
      const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if (!isPalette && (event.ctrlKey || event.metaKey || isTyping(event.target))) return;
      if (act(isPalette ? "/" : event.key)) event.preventDefault();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
}

/** Returns whether the key had a function. */
function act(key: string): boolean {
  if (key === "j" || key === "k") return walk(key === "j" ? 1 : -1);
  const row = currentRow();
  if (key === "x") return choose(row);
  if (key === "o") return click(row?.querySelector("a"));
  const control = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (control instanceof HTMLInputElement) {
    control.select();
    control.focus();
    return true;
  }
  // An action on rows needs one: the focused row, if none is chosen.
  if (control?.closest("form")?.querySelector("[data-row]") && !document.querySelector("[data-row] input:checked"))
    choose(row);
  return click(control);
}

/** The last focused row, and its list: if it was resolved and has disappeared, the focus continues at its place. */
let left = { list: "", place: 0 };

function walk(step: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const row = currentRow();
  const list = location.href;
  const place = row ? rows.indexOf(row) + step : left.list === list ? left.place : 0;
  const next = Math.min(rows.length - 1, Math.max(0, place));
  left = { list, place: next };
  rows[next]?.querySelector("a")?.focus();
  return rows.length > 0;
}

function currentRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>("[data-row]") ?? null;
}

function choose(row: HTMLElement | null): boolean {
  return click(row?.querySelector<HTMLElement>("input[type=checkbox]"));
}

function click(element: HTMLElement | null | undefined): boolean {
  element?.click();
  return element !== null && element !== undefined;
}
