import { lateGlobal } from "../page-data.ts";
import { LateReceiver } from "./late-promises.ts";

/** Late parts of the first page: the document goes on arriving, and each of its last scripts brings one. */
export function lateInDocument(): LateReceiver {
  const late = new LateReceiver();
  const take = (text: unknown): void => {
    late.take(JSON.parse(String(text)));
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
