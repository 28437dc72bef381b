import { Form } from "holdfast";
import { Mark } from "../../../../look/mark.tsx";

export default function Welcome({ data, actions }: PageProps<"/welcome/[secret]">) {
  return (
    <main className="door">
      <title>Welcome · Holdfast</title>
      <meta name="robots" content="noindex" />
      <Mark size={40} />
      <h1>{headingOf(data)}</h1>
      <p>This link works once. {adviceFor(data)}</p>
      <Form action={actions.accept} className="sheet">
        {(form) => (
          <>
            {data.email === undefined && (
              <label>
                E-mail address
                <input type="email" autoComplete="username" required {...form.field("email")} />
                <span {...form.error("email")} className="problem" />
              </label>
            )}
            <p role="alert">{form.errors.join(" ")}</p>
            {!data.isSignedIn && (
              <label>
                Password
                <input
                  type="password"
                  autoComplete={data.hasAccount ? "current-password" : "new-password"}
                  required
                  name="password"
                />
                <span {...form.error("password")} className="problem" />
              </label>
            )}
            <button type="submit" className="primary">
              {data.hasAccount ? "Join" : "Begin"}
            </button>
          </>
        )}
      </Form>
    </main>
  );
}

function adviceFor({ hasAccount, isSignedIn }: PageProps<"/welcome/[secret]">["data"]): string {
  if (isSignedIn) return "You sign in as before.";
  if (!hasAccount) return "Choose by what you will sign in from now on.";
  return "There is an account with this address: join with its password. If you never made one, tell those who invited you.";
}

function headingOf({ email, joins }: PageProps<"/welcome/[secret]">["data"]): string {
  if (joins) return `${email} is invited to ${joins.name ?? "a project"} as ${joins.role}`;
  return email ? `A new password for ${email}` : "Welcome to the console";
}
