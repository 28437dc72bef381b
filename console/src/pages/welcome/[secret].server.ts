import { action, invalid, load, notFound, redirect } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { accountsHere, beginSession } from "../../server/accounts.ts";
import { formOf, textIn } from "../../server/posted.ts";

/** An invite, as it stands in the link that was printed in the terminal. */
export const data = load("/_holdfast/welcome/[secret]", ({ params }) => {
  const { email, project, hasAccount } = accountsHere().invited(params.secret) ?? notFound();
  const name = openedDesk()
    .projects()
    .find(({ id }) => id === project?.id)?.name;
  return { email, hasAccount, joins: project && { name, role: project.role } };
});

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
      case "granted":
        return redirect("/_holdfast/sign-in");
      case "short-password":
        return invalid({ password: `At least ${answer.least} characters; a few words are easily remembered.` });
      case "wrong-email":
        return invalid({ email: "This is no e-mail address, or somebody has an account with it already." });
      case "unknown-invite":
        return notFound();
    }
  }),
};
