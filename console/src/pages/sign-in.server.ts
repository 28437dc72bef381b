import { action, load, redirect } from "holdfast/server";
import { accountsHere, applicantOf, beginSession, endSession, refuseSignIn } from "../server/accounts.ts";
import { formOf, passwordIn, textIn } from "../server/posted.ts";
import { wayBack } from "../server/scope.ts";

export const data = load("/sign-in", ({ locals, url, search }) => {
  accountsHere();
  // Browsers accept secure cookies only by https, or from this machine.
  const isSecure = url.protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return { name: locals.person?.name, isSecure, to: wayBack(search.get("to") ?? "") };
});

export const actions = {
  signIn: action({ route: "/sign-in" }, async ({ input, cookies, clientAddress }) => {
    const form = formOf(input);
    const from = applicantOf({ cookies, clientAddress });
    const answer = await accountsHere().signIn(textIn(form, "email"), passwordIn(form), from);
    if (answer.kind !== "signed-in") return refuseSignIn(answer);
    beginSession(cookies, answer);
    return redirect(wayBack(textIn(form, "to")) ?? "/");
  }),
  signOut: action({ route: "/sign-in" }, async ({ cookies }) => {
    await endSession(cookies);
    return redirect("/sign-in");
  }),
};
