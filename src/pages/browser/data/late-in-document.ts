import { lateGlobal } from "../../page-data.ts";
import { LateReceiver } from "./late-promises.ts";

/** Receives the late parts of the first page: each arrives as a script at the end of the still loading document. */
export function lateInDocument(): LateReceiver {
  const late = new LateReceiver();
  const take = (text: unknown): void => {
    late.take(JSON.parse(String(text)));
  };
  const global = globalThis as { [lateGlobal]?: unknown };
  const before = global[lateGlobal];
  if (Array.isArray(before)) before.forEach(take);
  global[lateGlobal] = { push: take };
  // A document that has ended, or was cut off, delivers no more parts.
  const whole = (): void => late.end();
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", whole);
  else whole();
  return late;
}
