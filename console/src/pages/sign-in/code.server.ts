import { action, load, redirect } from "holdfast/server";
import { accountsHere, applicantOf, beginSession } from "../../server/accounts.ts";
import { formOf, textIn } from "../../server/posted.ts";
import { wayBack } from "../../server/scope.ts";
import { forgetTicket, refuseCode, ticketIn } from "../../server/sign-in/second-step.ts";

/** After the password: a code, or an app that is set up first. */
export const data = load("/sign-in/code", async ({ cookies, search }) => {
  const accounts = accountsHere();
  const pending = await accounts.pendingSignIn(ticketIn(cookies));
  const to = wayBack(search.get("to") ?? "");
  if (pending === undefined) return { kind: "over" as const, enrolment: undefined, to };
  const { kind, email } = pending;
  return { kind, to, enrolment: kind === "enrol" ? await accounts.secondFactor.begin(email) : undefined };
});

export const actions = {
  finish: action({ route: "/sign-in/code" }, async ({ input, cookies, clientAddress, headers }) => {
    const form = formOf(input);
    const from = applicantOf({ cookies, clientAddress, headers });
    const answer = await accountsHere().finishSignIn(ticketIn(cookies), textIn(form, "code", 100), from);
    if (answer.kind === "expired") return redirect("/sign-in");
    if (answer.kind !== "signed-in") return refuseCode(answer);
    forgetTicket(cookies);
    beginSession(cookies, answer);
    const to = wayBack(textIn(form, "to")) ?? "/";
    if (answer.recoveryCodes === undefined) return redirect(to);
    return { recoveryCodes: answer.recoveryCodes };
  }),
};
