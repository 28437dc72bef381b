import { useEffect } from "react";
import * as pageErrors from "../errors.ts";
import { runtime } from "./browser-runtime.ts";

export interface RevalidateOptions {
  /** Milliseconds between two loads, from 1,000 to a day. A hidden tab loads nothing. */
  every?: number;
  /** Loads the page's data when the visitor comes back to the tab. */
  onFocus?: boolean;
  /** Loads the page's data when the browser is online again. */
  onReconnect?: boolean;
}

/** What changes faster is sent by the server: by events or a socket. */
const leastMs = 1_000;
/** Browsers take a longer time than 24 days for none at all. */
const mostMs = 86_400_000;

/**
 * Keeps the data of the page current while this component is on it. A load that fails leaves the page as it is, and the
 * pauses after it grow.
 *
 * @example useRevalidate({ every: 30_000, onFocus: true, onReconnect: true });
 */
export function useRevalidate({ every, onFocus = false, onReconnect = false }: RevalidateOptions): void {
  if (every !== undefined && !(every >= leastMs && every <= mostMs))
    throw pageErrors.wrongInterval(every, leastMs, mostMs);
  useEffect(() => {
    let loadedAt = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = (): void => {
      if (document.hidden) return;
      loadedAt = performance.now();
      // Until the tab's code has loaded, the page is new.
      runtime("useRevalidate").refresh?.();
      wait();
    };
    const wait = (): void => {
      clearTimeout(timer);
      if (every !== undefined) timer = setTimeout(load, Math.max(0, loadedAt + every - performance.now()));
    };
    const focused = (): void => {
      if (document.hidden) return;
      // Coming back to a window is often one `focus` and one `visibilitychange`.
      if (onFocus && performance.now() - loadedAt >= leastMs) load();
      else wait();
    };
    const online = onReconnect ? load : undefined;
    wait();
    addEventListener("focus", focused);
    document.addEventListener("visibilitychange", focused);
    if (online) addEventListener("online", online);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", focused);
      document.removeEventListener("visibilitychange", focused);
      if (online) removeEventListener("online", online);
    };
  }, [every, onFocus, onReconnect]);
}
