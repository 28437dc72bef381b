/** Why the page that follows is loaded in full, for its trace to tell. */
interface HandOver {
  reason: string;
  traceId: string;
  at: number;
}

const storageKey = "holdfast-full-load";
/** What is older belongs to a page that never came. */
const atMostMs = 30_000;

export function rememberHandOver(handOver: HandOver): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(handOver));
  } catch {
    // Storage is forbidden; the next trace begins without its reason.
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
    // Forbidden, or not ours.
    return undefined;
  }
}
