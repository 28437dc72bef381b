import { type ActionRef, Form, href } from "holdfast";
import { Mark } from "../../../look/mark.tsx";

type Props = PageProps<"/sign-in">;

export default function SignIn({ data, actions }: Props) {
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
      {data.lacksSecondFactor && <p className="notice">A second factor is required now. Sign in again to set it up.</p>}
      {data.problem && (
        <p className="notice" role="alert">
          {data.problem}
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
        <Ways data={data} action={actions.signIn} />
      )}
      <p className="second">
        Locked out? <code>holdfast user invite EMAIL</code> on the server prints a link
        {data.hasPasswords ? " for a new password." : " that lets you in once."}
      </p>
    </main>
  );
}

function Ways({ data, action }: { data: Props["data"]; action: ActionRef }) {
  return (
    <>
      {data.hasLeft && (
        <p>
          You are signed out here.{" "}
          <a href={href("/sign-in/leave")} data-hard="">
            Sign out of {data.provider} too
          </a>
        </p>
      )}
      {data.provider && (
        <a className="button primary" href={href("/sign-in/provider", undefined, { to: data.to })} data-hard="">
          Sign in with {data.provider}
        </a>
      )}
      {data.provider && data.hasPasswords && <p className="second">or by a password</p>}
      {data.hasPasswords && <PasswordForm to={data.to} action={action} isSecond={data.provider !== undefined} />}
    </>
  );
}

function PasswordForm({ to, action, isSecond }: { to: string | undefined; action: ActionRef; isSecond: boolean }) {
  return (
    <Form action={action} className="sheet">
      {(form) => (
        <>
          <p role="alert">{form.errors.join(" ")}</p>
          {to && <input type="hidden" name="to" value={to} />}
          <label>
            E-mail address
            <input type="email" autoComplete="username" required {...form.field("email")} />
          </label>
          <label>
            Password
            <input type="password" autoComplete="current-password" required name="password" />
          </label>
          <button type="submit" className={isSecond ? undefined : "primary"}>
            Sign in
          </button>
        </>
      )}
    </Form>
  );
}
