import { use } from "./keys.ts";

/** `j` and `k` move through the rows of a list, with Shift they extend the choice; `x` chooses, `o` opens. */
export function actOnRows(key: string, control: HTMLElement | null): void {
  const row = currentRow();
  const step = { j: 1, k: -1 }[key.toLowerCase()];
  if (step !== undefined) walk(step, key < "a");
  else if (key === "x") choose(row);
  else if (key === "o") row?.querySelector("a")?.click();
  else if (control) {
    // An action on rows needs one: the focused row, if none is chosen.
    const chosen = document.querySelectorAll("[data-row] input:checked").length;
    if (chosen === 0) choose(row);
    // Several issues can be merged among themselves: no field needs an answer.
    use((key === "g" && chosen > 1 && control.closest(".ask")?.querySelector("button")) || control);
  }
}

/** Lets clicks on boxes extend the choice. A second call changes nothing. */
export function watchBoxes(): void {
  document.addEventListener("click", boxClicked);
}

/** With Shift, all rows from the last chosen one to this become as this one is. */
function boxClicked({ target, shiftKey }: MouseEvent): void {
  const rows = rowsShown();
  const place = rows.findIndex((row) => boxOf(row) === target);
  const row = rows[place];
  if (!row) return;
  const begin = start && shiftKey ? rows.indexOf(start) : -1;
  if (begin >= 0)
    for (const one of rows.slice(Math.min(begin, place), Math.max(begin, place) + 1))
      mark(one, boxOf(row)?.checked === true);
  start = row;
}

/** The last focused row, and its list: if it was resolved and has disappeared, the focus continues at its place. */
let left = { list: "", place: 0 };

/** The row that was chosen last. A range begins there. */
let start: HTMLElement | undefined;

/** Moves the focus. With Shift, the rows on the way are chosen; on the way back, they are left out again. */
function walk(step: number, isShift: boolean): void {
  const rows = rowsShown();
  const row = currentRow();
  const list = location.href;
  const place = row ? rows.indexOf(row) + step : left.list === list ? left.place : 0;
  const next = Math.min(rows.length - 1, Math.max(0, place));
  left = { list, place: next };
  const to = rows[next];
  to?.querySelector("a")?.focus();
  if (!isShift || !row || !to) return;
  if (!start || !boxOf(row)?.checked) start = row;
  const away = (one: HTMLElement) => Math.abs(rows.indexOf(one) - rows.indexOf(start ?? one));
  mark(row, away(to) >= away(row));
  mark(to, true);
}

function rowsShown(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-row]")];
}

function currentRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>("[data-row]") ?? null;
}

function choose(row: HTMLElement | null): void {
  if (row) boxOf(row)?.click();
}

function boxOf(row: HTMLElement): HTMLInputElement | null {
  return row.querySelector<HTMLInputElement>("input[type=checkbox]");
}

function mark(row: HTMLElement, isChosen: boolean): void {
  const box = boxOf(row);
  if (box) box.checked = isChosen;
}
