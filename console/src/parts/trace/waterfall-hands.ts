import type { ShownRow } from "../../server/trace/show-trace.ts";
import { followPointer } from "./follow-pointer.ts";
import { walkRows } from "./walk-rows.ts";

/** Keyboard and pointer of a waterfall. Loaded after hydration: the waterfall is readable without them. */
export function followHands(section: HTMLElement, rows: () => readonly ShownRow[]): void {
  section.addEventListener("keydown", (event) => walkRows(event, rows()));
  followPointer(section);
  section.dataset.hands = "";
}
