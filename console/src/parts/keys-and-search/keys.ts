import { useEffect } from "react";

/** Who does not want single keys to do things turns them off in the settings. */
export const keysSetting = "holdfast-keys";

/**
 * The console by keyboard. `j` and `k` walk through the rows of a list, `x` chooses the one that has the focus. Every
 * other key belongs to the control that carries it as `data-key`: it is pressed as if by hand, so that nothing can be
 * done by key that cannot be seen.
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

/** Whether the key meant something here. */
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
  // An action on rows needs one: the row in focus, where none was chosen.
  if (control?.closest("form")?.querySelector("[data-row]") && !document.querySelector("[data-row] input:checked"))
    choose(row);
  return click(control);
}

/**
 * The row that had the focus last, and the list it is in: when it was resolved and has gone, one goes on where it was.
 */
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
