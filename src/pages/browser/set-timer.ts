/** Runs something later, unless it is called off by what this returns. A time that has passed already is now. */
export function setTimer(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, Math.max(0, ms));
  return () => clearTimeout(timer);
}
