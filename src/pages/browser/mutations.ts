/**
 * Tells the other tabs that something was changed, and hears it from them. Closed while the page is hidden for good: an open channel keeps
 * some browsers from putting the page into the back/forward cache.
 */
export function openMutations(heard: () => void): { tell(): void; close(): void; reopen(): void } {
  let channel: BroadcastChannel | undefined;
  const reopen = (): void => {
    channel = new BroadcastChannel("holdfast-mutations");
    channel.onmessage = heard;
  };
  reopen();
  return { tell: () => channel?.postMessage(0), close: () => channel?.close(), reopen };
}
