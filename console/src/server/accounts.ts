import { type Cookies, invalid, notFound } from "holdfast/server";
import { type Accounts, type Applicant, consoleApi, type SignIn } from "holdfast/service";

export const sessionCookie = "__Host-holdfast-console";

/** Outlives the session: guesses from elsewhere do not slow down a known browser. It opens nothing by itself. */
const deviceCookie = "__Host-holdfast-device";
const deviceSeconds = 365 * 86_400;

/** Not found if the console is open, or if the application itself identifies people. */
export function accountsHere(): Accounts {
  const { access } = consoleApi();
  return access.kind === "accounts" ? access.accounts : notFound();
}

/** The visitor who signs in, as far as the request identifies them. */
export function applicantOf({ cookies, clientAddress }: { cookies: Cookies; clientAddress: string }): Applicant {
  return { address: clientAddress, device: cookies.get(deviceCookie), session: cookies.get(sessionCookie) };
}

/** Until the browser is closed. The service may end it earlier. */
export function beginSession(cookies: Cookies, { session, device }: Extract<SignIn, { kind: "signed-in" }>): void {
  cookies.set(sessionCookie, session, { sameSite: "lax" });
  cookies.set(deviceCookie, device, { sameSite: "strict", maxAge: deviceSeconds });
}

/** Messages of the form for a refused sign-in. */
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

export async function endSession(cookies: Cookies): Promise<void> {
  const session = cookies.get(sessionCookie);
  if (session !== undefined) await accountsHere().sessions.end(session);
  cookies.delete(sessionCookie);
}
