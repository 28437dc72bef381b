import { lateGlobal } from "../page-data.ts";
import { fromTagged } from "../tagged-json.ts";
import { isLate } from "./fetch-page-data.ts";
import { LatePromises } from "./late-promises.ts";

/** Late parts of the first page: the document goes on arriving, and each of its last scripts brings one. */
export function lateInDocument(): LatePromises {
  const late = new LatePromises();
  const take = (text: unknown): void => {
    const line: unknown = JSON.parse(String(text));
    if (isLate(line))
      late.arrived("value" in line ? { late: line.late, value: fromTagged(line.value, undefined, 0) } : line);
  };
  const global = globalThis as { [lateGlobal]?: unknown };
  const before = global[lateGlobal];
  if (Array.isArray(before)) before.forEach(take);
  global[lateGlobal] = { push: take };
  // A document that has ended, or was cut, brings nothing more.
  const whole = (): void => late.end();
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", whole);
  else whole();
  return late;
}
