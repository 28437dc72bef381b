import { action, invalid, load, notFound, redirect } from "holdfast/server";
import { accountsHere, beginSession } from "../../server/accounts.ts";
import { formOf, textIn } from "../../server/posted.ts";

/** An invite, as it stands in the link that was printed in the terminal. */
export const data = load("/_holdfast/welcome/[secret]", ({ params }) => ({
  email: (accountsHere().invited(params.secret) ?? notFound()).email,
}));

export const actions = {
  accept: action({ route: "/_holdfast/welcome/[secret]" }, async ({ input, params, cookies }) => {
    const form = formOf(input);
    const password = form.get("password");
    const typed = typeof password === "string" ? password : "";
    const answer = await accountsHere().accept(params.secret, textIn(form, "email"), typed);
    switch (answer.kind) {
      case "signed-in":
        beginSession(cookies, answer.session);
        return redirect("/_holdfast");
      case "short-password":
        return invalid({ password: `At least ${answer.least} characters; a few words are easily remembered.` });
      case "wrong-email":
        return invalid({ email: "This is no e-mail address." });
      case "unknown-invite":
        return notFound();
    }
  }),
};
