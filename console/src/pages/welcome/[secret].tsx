import { Form } from "holdfast";
import { Mark } from "../../../../look/mark.tsx";

export default function Welcome({ data, actions }: PageProps<"/_holdfast/welcome/[secret]">) {
  return (
    <main className="lonely card">
      <title>Welcome · Holdfast</title>
      <meta name="robots" content="noindex" />
      <Mark size={32} />
      <h1>{headingOf(data)}</h1>
      <p>
        This link works once.{" "}
        {data.hasAccount ? "You sign in as before." : "Choose by what you will sign in from now on."}
      </p>
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
            {!data.hasAccount && (
              <label>
                Password
                <input type="password" autoComplete="new-password" required name="password" />
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

function headingOf({ email, joins }: PageProps<"/_holdfast/welcome/[secret]">["data"]): string {
  if (joins) return `${email} is invited to ${joins.name ?? "a project"} as ${joins.role}`;
  return email ? `A new password for ${email}` : "Welcome to the console";
}
