import { type Cookies, notFound } from "holdfast/server";
import { type Accounts, openedDesk } from "holdfast/service";

export const sessionCookie = "__Host-holdfast-console";

/** Not there where the console is open, or the application itself knows who is who. */
export function accountsHere(): Accounts {
  const { access } = openedDesk();
  return access.kind === "accounts" ? access.accounts : notFound();
}

/** Until the browser is closed; the service ends it sooner if it must. */
export function beginSession(cookies: Cookies, session: string): void {
  cookies.set(sessionCookie, session, { sameSite: "lax" });
}

export function endSession(cookies: Cookies): void {
  const session = cookies.get(sessionCookie);
  if (session !== undefined) accountsHere().signOut(session);
  cookies.delete(sessionCookie);
}
