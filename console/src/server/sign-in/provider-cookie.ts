import type { Cookies } from "holdfast/server";

/** What the browser keeps while it is at the provider. */
const pendingCookie = "__Host-holdfast-sign-in";

/** People look for their phone, or reset a password. */
const pendingSeconds = 3_600;

export function keepPending(cookies: Cookies, pending: string): void {
  // The browser comes back from another site, so that a strict cookie would not be sent.
  cookies.set(pendingCookie, pending, { sameSite: "lax", maxAge: pendingSeconds });
}

/** It works once. */
export function takePending(cookies: Cookies): string | undefined {
  const pending = cookies.get(pendingCookie);
  cookies.delete(pendingCookie);
  return pending;
}
