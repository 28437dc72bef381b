import { Form, href } from "holdfast";
import { AppSetUp, codesIn, RecoveryCodes } from "../../../parts/me/second-factor.tsx";
import { Said } from "../../../parts/settings/said.tsx";

type Props = PageProps<"/[project]/me/second-factor">;

/** Codes of an authenticator app, for one's own account. */
export default function SecondFactor({ data, params: { project }, actions }: Props) {
  const { state, enrolment, isRequired } = data;
  return (
    <main className="settings">
      <title>Second factor · Holdfast</title>
      <meta name="description" content="Codes of an authenticator app in addition to the password." />
      <p>
        <a href={href("/[project]/me", { project })}>Your settings</a>
      </p>
      <h1>Second factor</h1>
      <p>
        {state.kind === "on"
          ? `On. ${state.recoveryCodesLeft} recovery codes are left.`
          : "Off. With it, a person who knows your password still cannot sign in."}
      </p>
      <Form action={actions.change} className="sheet">
        {(form) => {
          const codes = codesIn(form.result);
          return (
            <>
              {codes && <RecoveryCodes codes={codes} />}
              {enrolment && <AppSetUp {...enrolment} />}
              <label>
                {enrolment ? "Code that the app shows" : "Code of your app, or a recovery code"}
                <input autoComplete="one-time-code" required {...form.field("code")} />
                <span {...form.error("code")} className="problem" />
              </label>
              <div className="toolbar">
                {enrolment ? (
                  <button type="submit" name="do" value="on" className="primary">
                    Turn it on
                  </button>
                ) : (
                  <>
                    <button type="submit" name="do" value="renew">
                      New recovery codes
                    </button>
                    {!isRequired && (
                      <button type="submit" name="do" value="off" className="grave">
                        Turn it off
                      </button>
                    )}
                  </>
                )}
              </div>
              <Said form={form} />
            </>
          );
        }}
      </Form>
      {isRequired && <p className="second">It is required here.</p>}
    </main>
  );
}
