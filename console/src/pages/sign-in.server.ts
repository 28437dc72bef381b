import { href } from "holdfast";
import { action, load, redirect } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import {
  accountsHere,
  applicantOf,
  beginSession,
  endSession,
  refuseSignIn,
  sessionCookie,
} from "../server/accounts.ts";
import { formOf, passwordIn, textIn } from "../server/posted.ts";
import { wayBack } from "../server/scope.ts";
import { shownNames } from "../server/shown-names.ts";
import { problemWords } from "../server/sign-in/provider-words.ts";
import { keepTicket } from "../server/sign-in/second-step.ts";

export const data = load("/sign-in", async ({ locals, url, search, cookies }) => {
  const { sessions } = accountsHere();
  // Browsers accept secure cookies only by https, or from this machine.
  const isSecure = url.protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const name = locals.person && (await shownNames())(locals.person.name);
  const { provider, hasPasswords = true } = consoleApi().signIn ?? {};
  return {
    name,
    isSecure,
    hasPasswords,
    lacksSecondFactor: await sessions.lacksSecondFactor(cookies.get(sessionCookie) ?? ""),
    provider: provider?.name,
    problem: provider && problemWords(search.get("problem") ?? "", provider.name),
    hasLeft: provider !== undefined && search.has("left"),
    to: wayBack(search.get("to") ?? ""),
  };
});

export const actions = {
  signIn: action({ route: "/sign-in" }, async ({ input, cookies, clientAddress, headers }) => {
    const form = formOf(input);
    const from = applicantOf({ cookies, clientAddress, headers });
    const answer = await accountsHere().signIn(textIn(form, "email"), passwordIn(form), from);
    const to = wayBack(textIn(form, "to"));
    if (answer.kind === "second-step") {
      keepTicket(cookies, answer.ticket);
      return redirect(href("/sign-in/code", undefined, { to }));
    }
    if (answer.kind !== "signed-in") return refuseSignIn(answer);
    beginSession(cookies, answer);
    return redirect(to ?? "/");
  }),
  signOut: action({ route: "/sign-in" }, async ({ cookies }) => {
    await endSession(cookies);
    return redirect(consoleApi().signIn?.provider ? href("/sign-in", undefined, { left: "1" }) : "/sign-in");
  }),
};
