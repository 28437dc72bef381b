import { Form } from "holdfast";

export default function Welcome({ data, actions }: PageProps<"/_holdfast/welcome/[secret]">) {
  return (
    <main className="lonely">
      <title>Welcome · Holdfast</title>
      <h1>{data.email ? `A new password for ${data.email}` : "Welcome to the console"}</h1>
      <p>This link works once. Choose by what you will sign in from now on.</p>
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
            <label>
              Password
              <input type="password" autoComplete="new-password" required name="password" />
              <span {...form.error("password")} className="problem" />
            </label>
            <button type="submit" className="primary">
              Begin
            </button>
          </>
        )}
      </Form>
    </main>
  );
}
