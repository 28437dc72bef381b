import { action, invalid, load, redirect } from "holdfast/server";
import { accountsHere, beginSession, endSession } from "../server/accounts.ts";
import { formOf, textIn } from "../server/posted.ts";
import { wayBack } from "../server/scope.ts";

export const data = load("/_holdfast/sign-in", ({ locals, url, search }) => {
  accountsHere();
  // Browsers keep secure cookies only where the way is secure: by https, or on this machine.
  const isSecure = url.protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return { name: locals.person?.name, isSecure, to: wayBack(search.get("to") ?? "") };
});

export const actions = {
  signIn: action({ route: "/_holdfast/sign-in" }, async ({ input, cookies }) => {
    const form = formOf(input);
    const password = form.get("password");
    const answer = await accountsHere().signIn(textIn(form, "email"), typeof password === "string" ? password : "");
    switch (answer.kind) {
      case "signed-in":
        beginSession(cookies, answer.session);
        return redirect(wayBack(textIn(form, "to")) ?? "/_holdfast");
      case "wait":
        return invalid({ "": `Too many wrong passwords. Try again in ${answer.seconds} s.` });
      case "wrong":
        return invalid({ "": "There is no such account, or its password is another." });
    }
  }),
  signOut: action({ route: "/_holdfast/sign-in" }, ({ cookies }) => {
    endSession(cookies);
    return redirect("/_holdfast/sign-in");
  }),
};
