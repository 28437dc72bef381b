import { type Cookies, invalid, notFound } from "holdfast/server";
import { type Accounts, type Applicant, consoleApi, type SignIn } from "holdfast/service";

export const sessionCookie = "__Host-holdfast-console";

/**
 * Stays when the session is over: guesses from elsewhere do not make a known browser wait. It opens nothing by itself.
 */
const deviceCookie = "__Host-holdfast-device";
const deviceSeconds = 365 * 86_400;

/** Not there where the console is open, or the application itself knows who is who. */
export function accountsHere(): Accounts {
  const { access } = consoleApi();
  return access.kind === "accounts" ? access.accounts : notFound();
}

/** Who asks to be let in, as far as the request tells. */
export function applicantOf({ cookies, clientAddress }: { cookies: Cookies; clientAddress: string }): Applicant {
  return { address: clientAddress, device: cookies.get(deviceCookie), session: cookies.get(sessionCookie) };
}

/** Until the browser is closed; the service ends it sooner if it must. */
export function beginSession(cookies: Cookies, { session, device }: Extract<SignIn, { kind: "signed-in" }>): void {
  cookies.set(sessionCookie, session, { sameSite: "lax" });
  cookies.set(deviceCookie, device, { sameSite: "strict", maxAge: deviceSeconds });
}

/** The form's messages for a refused sign-in. */
export function refuseSignIn(answer: Exclude<SignIn, { kind: "signed-in" }>): never {
  switch (answer.kind) {
    case "wait":
      return invalid(
        { "": `Too many wrong passwords. Try again in ${answer.seconds} s.` },
        { retryAfterSeconds: answer.seconds },
      );
    case "busy":
      return invalid(
        { "": "Too many people are signing in at this moment. Try again in a few seconds." },
        { retryAfterSeconds: answer.seconds },
      );
    case "wrong":
      return invalid({ "": "There is no such account, or its password is another." });
  }
}

export function endSession(cookies: Cookies): void {
  const session = cookies.get(sessionCookie);
  if (session !== undefined) accountsHere().signOut(session);
  cookies.delete(sessionCookie);
}
