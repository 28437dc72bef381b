/** Runs a function later; the returned function cancels it. A time in the past means now. */
export function setTimer(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, Math.max(0, ms));
  return () => clearTimeout(timer);
}
