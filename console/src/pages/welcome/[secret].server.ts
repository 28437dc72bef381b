import { href } from "holdfast";
import { action, invalid, load, notFound, redirect } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { accountsHere, applicantOf, beginSession, refuseSignIn } from "../../server/accounts.ts";
import { formOf, passwordIn, textIn } from "../../server/posted.ts";
import { keepTicket } from "../../server/sign-in/second-step.ts";

/** An invite, from the link that was printed in the terminal. */
export const data = load("/welcome/[secret]", async ({ params, locals }) => {
  const { email, project, hasAccount } = (await accountsHere().invites.find(params.secret)) ?? notFound();
  const name = consoleApi()
    .projects()
    .find(({ id }) => id === project?.id)?.name;
  const isSignedIn = hasAccount && locals.person?.name === email;
  return { email, hasAccount, isSignedIn, joins: project && { name, role: project.role } };
});

async function unusedInvite(secret: string): Promise<string | undefined> {
  return (await accountsHere().invites.find(secret)) && href("/welcome/[secret]", { secret });
}

export const actions = {
  accept: action({ route: "/welcome/[secret]" }, async ({ input, params, cookies, clientAddress, headers }) => {
    const form = formOf(input);
    const typed = { email: textIn(form, "email"), password: passwordIn(form) };
    const from = applicantOf({ cookies, clientAddress, headers });
    const answer = await accountsHere().accept(params.secret, typed, from);
    switch (answer.kind) {
      case "signed-in":
        beginSession(cookies, answer);
        return redirect("/");
      case "second-step":
        keepTicket(cookies, answer.ticket);
        // An invite that is not used yet is joined when the person comes back.
        return redirect(href("/sign-in/code", undefined, { to: await unusedInvite(params.secret) }));
      case "granted":
        return redirect("/");
      case "passwords-off":
      case "wait":
      case "busy":
        return refuseSignIn(answer);
      case "wrong":
        return invalid({ password: "This is not the password of the account." });
      case "long-password":
        return invalid({ password: `At most ${answer.most} characters.` });
      case "short-password":
        return invalid({ password: `At least ${answer.least} characters; a few words are easily remembered.` });
      case "wrong-email":
        return invalid({ email: "This is no e-mail address, or somebody has an account with it already." });
      case "unknown-invite":
        return notFound();
    }
  }),
};
