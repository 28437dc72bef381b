/** Reason of a full page load, recorded in the trace of the next page. */
interface HandOver {
  reason: string;
  traceId: string;
  at: number;
}

const storageKey = "holdfast-full-load";
/** Older entries belong to a page that never loaded. */
const atMostMs = 30_000;

export function rememberHandOver(handOver: HandOver): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(handOver));
  } catch {
    // Storage is forbidden; the next trace starts without the reason.
  }
}

export function takeHandOver(nowMs: number): HandOver | undefined {
  try {
    const text = sessionStorage.getItem(storageKey);
    if (text === null) return undefined;
    sessionStorage.removeItem(storageKey);
    const handOver: Partial<HandOver> = JSON.parse(text);
    const { reason, traceId, at } = handOver;
    if (typeof reason !== "string" || typeof traceId !== "string" || typeof at !== "number") return undefined;
    return nowMs - at < atMostMs ? { reason, traceId, at } : undefined;
  } catch {
    // Storage is forbidden, or the value is not ours.
    return undefined;
  }
}
