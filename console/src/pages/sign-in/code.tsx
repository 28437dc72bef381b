import { Form, href } from "holdfast";
import { Mark } from "../../../../look/mark.tsx";
import { AppSetUp, codesIn, RecoveryCodes } from "../../parts/me/second-factor.tsx";

type Props = PageProps<"/sign-in/code">;

export default function Code({ data, actions }: Props) {
  return (
    <main className="door">
      <title>Code · Holdfast</title>
      <meta name="robots" content="noindex" />
      <Mark size={40} />
      <h1>{data.kind === "enrol" ? "Set up a second factor" : "Second factor"}</h1>
      <Form action={actions.finish} className="sheet">
        {(form) => {
          const codes = codesIn(form.result);
          if (codes !== undefined)
            return (
              <>
                <RecoveryCodes codes={codes} />
                <a className="button primary" href={data.to ?? href("/")} data-hard="">
                  To the console
                </a>
              </>
            );
          if (data.kind === "over")
            return (
              <p>
                This sign-in has ended. <a href={href("/sign-in")}>Begin again</a>
              </p>
            );
          return (
            <>
              {data.enrolment && <AppSetUp {...data.enrolment} />}
              {data.to && <input type="hidden" name="to" value={data.to} />}
              <label>
                {data.kind === "enrol" ? "Code that the app shows" : "Code of your app, or a recovery code"}
                <input autoComplete="one-time-code" required {...form.field("code")} />
                <span {...form.error("code")} className="problem" />
              </label>
              <p role="alert">{form.errors.join(" ")}</p>
              <button type="submit" className="primary">
                Sign in
              </button>
            </>
          );
        }}
      </Form>
      {data.kind === "code" && (
        <p className="second">
          Lost both? <code>holdfast user reset-second-factor EMAIL</code> on the server takes the second factor away.
        </p>
      )}
    </main>
  );
}
