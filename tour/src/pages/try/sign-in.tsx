import { Form } from "holdfast";

export default function SignIn({ actions }: PageProps<"/try/sign-in">) {
  return (
    <>
      <title>Sign in – Holdfast</title>
      <header>
        <h1>Sign in</h1>
        <p>The guarded page sent you here. Any name is good; there is nothing to protect.</p>
      </header>
      <Form action={actions.signIn} className="card stack">
        {(form) => (
          <>
            <div className="field">
              <label htmlFor="name">Name</label>
              <input id="name" autoComplete="username" {...form.field("name")} />
              {form.error("name") && <span className="field-error" {...form.error("name")} />}
            </div>
            <p className="buttons">
              <button className="button primary" type="submit">
                Sign in
              </button>
            </p>
          </>
        )}
      </Form>
    </>
  );
}
