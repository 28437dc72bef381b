import { href } from "holdfast";
import { createContext, useEffect, useSyncExternalStore } from "react";
import { never } from "../alive.ts";

/** The time zone in which times are shown. */
export const Zone = createContext("UTC");

/** Read by the server, which then writes the right times at once. */
export const zoneCookie = "holdfast-zone";

/** The zone that the server knows, and its offsets in January and July. */
export interface KnownZone {
  zone: string;
  isChosen: boolean;
  seasons: readonly { at: number; minutes: number }[];
}

/**
 * The zone of the browser, or the known one if their clocks agree in both seasons: naming a zone loads the browser's
 * locale data, which takes 50 ms on a laptop.
 */
function zoneHere({ zone, seasons }: KnownZone): string {
  const agree = seasons.every(({ at, minutes }) => -new Date(at).getTimezoneOffset() === minutes);
  return agree ? zone : (Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC");
}

/**
 * Returns the chosen zone, else that of the browser. Until hydration it is the one that the server knows by the cookie
 * of an earlier page, so that both render the same.
 */
export function useZone(known: KnownZone): string {
  const { zone } = known;
  const local = useSyncExternalStore(
    never,
    () => (known.isChosen ? zone : zoneHere(known)),
    () => zone,
  );
  const isNews = local !== zone;
  useEffect(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store needs a secure context
    if (isNews) document.cookie = `${zoneCookie}=${local};path=${href("/")};max-age=31536000;samesite=lax`;
  }, [isNews, local]);
  return local;
}
