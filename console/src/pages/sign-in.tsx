import { Form, href } from "holdfast";
import { Mark } from "../../../look/mark.tsx";

export default function SignIn({ data, actions }: PageProps<"/sign-in">) {
  return (
    <main className="door">
      <title>Sign in · Holdfast</title>
      <meta name="robots" content="noindex" />
      <Mark size={40} />
      <h1>{data.name ? `You are ${data.name}` : "Sign in to the console"}</h1>
      {!data.isSecure && (
        <p className="notice">
          This page came without encryption, and the browser will not keep you signed in. Use https, or{" "}
          <code>localhost</code> on the machine itself.
        </p>
      )}
      {data.name ? (
        <Form action={actions.signOut}>
          <p>
            <a href={href("/")}>To the console</a>
          </p>
          <button type="submit">Sign out</button>
        </Form>
      ) : (
        <Form action={actions.signIn} className="sheet">
          {(form) => (
            <>
              <p role="alert">{form.errors.join(" ")}</p>
              {data.to && <input type="hidden" name="to" value={data.to} />}
              <label>
                E-mail address
                <input type="email" autoComplete="username" required {...form.field("email")} />
              </label>
              <label>
                Password
                <input type="password" autoComplete="current-password" required name="password" />
              </label>
              <button type="submit" className="primary">
                Sign in
              </button>
            </>
          )}
        </Form>
      )}
      <p className="second">
        Locked out? <code>holdfast user invite EMAIL</code> on the server prints a link for a new password.
      </p>
    </main>
  );
}
