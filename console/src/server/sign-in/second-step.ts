import { type Cookies, invalid } from "holdfast/server";
import type { Accounts } from "holdfast/service";

/** Between the password and the code. It opens nothing without the code. */
const stepCookie = "__Host-holdfast-step";

export function keepTicket(cookies: Cookies, ticket: string): void {
  cookies.set(stepCookie, ticket, { sameSite: "strict" });
}

export function ticketIn(cookies: Cookies): string {
  return cookies.get(stepCookie) ?? "";
}

export function forgetTicket(cookies: Cookies): void {
  cookies.delete(stepCookie);
}

type CodeProblem = Exclude<Awaited<ReturnType<Accounts["secondFactor"]["verify"]>>, { kind: "right" }>;

/** Messages of the form for a refused code. */
export function refuseCode(answer: CodeProblem): never {
  switch (answer.kind) {
    case "wait":
      return invalid(
        { code: `Too many wrong codes. Try again in ${answer.seconds} s.` },
        { retryAfterSeconds: answer.seconds },
      );
    case "unreadable":
      return invalid({ code: "The key of your app was sealed with another HOLDFAST_SECRET. Use a recovery code." });
    case "wrong":
      return invalid({ code: "This code is wrong, or was used already. The app shows a new one every 30 seconds." });
  }
}
