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
export function applicantOf({ cookies, clientAddress, headers }: RequestFacts): Applicant {
  return {
    address: clientAddress,
    userAgent: headers.get("user-agent") ?? undefined,
    device: cookies.get(deviceCookie),
    session: cookies.get(sessionCookie),
  };
}

interface RequestFacts {
  cookies: Cookies;
  clientAddress: string;
  headers: Headers;
}

/** Until the browser is closed. The service may end it earlier. */
export function beginSession(cookies: Cookies, { session, device }: Extract<SignIn, { kind: "signed-in" }>): void {
  cookies.set(sessionCookie, session, { sameSite: "lax" });
  cookies.set(deviceCookie, device, { sameSite: "strict", maxAge: deviceSeconds });
}

/** Messages of the form for a refused sign-in. */
export function refuseSignIn(answer: Exclude<SignIn, { kind: "signed-in" | "second-step" }>): never {
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
    case "passwords-off":
      return invalid({ "": "Passwords are switched off here. Sign in by the provider." });
    case "wrong":
      return invalid({ "": "There is no such account, or its password is another." });
  }
}

/** The browser stays known: it has its own attempts. */
export async function endAllSessions(cookies: Cookies, email: string): Promise<void> {
  await accountsHere().sessions.endAll(email);
  cookies.delete(sessionCookie);
}

export async function endSession(cookies: Cookies): Promise<void> {
  const session = cookies.get(sessionCookie);
  if (session !== undefined) await accountsHere().sessions.end(session);
  cookies.delete(sessionCookie);
}
