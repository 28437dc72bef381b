import { type ActionRef, Form, href } from "holdfast";
import { KeySwitch } from "../../parts/me/key-switch.tsx";
import { NameForm, PasswordForm } from "../../parts/me/own-account.tsx";
import { OwnSessions } from "../../parts/me/own-sessions.tsx";
import { Said } from "../../parts/settings/said.tsx";
import { ExactTime } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/me">;

/** What concerns only this person, and partly only this browser. */
export default function Me({ data, params: { project }, actions }: Props) {
  return (
    <main className="settings">
      <title>Your settings · Holdfast</title>
      <meta name="description" content="Your name, password, sessions, look, times and keys." />
      <h1>Your settings</h1>
      {data.account && <NameForm address={data.name} name={data.account.shownName} action={actions.name} />}
      <Look theme={data.theme} action={actions.theme} />
      <Times data={data} action={actions.zone} />
      <KeySwitch />
      {data.account && (
        <section aria-labelledby="tokens">
          <h2 id="tokens">Tokens</h2>
          <p>
            <a href={href("/[project]/settings/tokens", { project })}>Your tokens</a> let programs act in your name.
          </p>
        </section>
      )}
      {data.account?.hasPassword && <PasswordForm address={data.name} action={actions.password} />}
      {data.account?.hasPassword && (
        <section aria-labelledby="second-factor">
          <h2 id="second-factor">Second factor</h2>
          <p>
            {data.account.hasSecondFactor ? "On." : "Off."}{" "}
            <a href={href("/[project]/me/second-factor", { project })}>Codes of an authenticator app</a>
          </p>
        </section>
      )}
      {data.account && (
        <OwnSessions sessions={data.account.sessions} now={data.now} project={project} action={actions.session} />
      )}
    </main>
  );
}

const themes = [
  ["", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

function Look({ theme = "", action }: { theme: Props["data"]["theme"] | ""; action: ActionRef }) {
  return (
    <section aria-labelledby="look">
      <h2 id="look">Look</h2>
      <Form action={action}>
        <div className="joined">
          {themes.map(([value, name]) => (
            <button key={value} type="submit" name="theme" value={value} aria-pressed={value === theme}>
              {name}
            </button>
          ))}
        </div>
      </Form>
      <p className="second">In this browser.</p>
    </section>
  );
}

function Times({ data: { zone = "", zones, now }, action }: { data: Props["data"]; action: ActionRef }) {
  return (
    <section aria-labelledby="times">
      <h2 id="times">Times</h2>
      <Form action={action}>
        {(form) => (
          <>
            <div className="asks">
              <label>
                Time zone
                <select {...form.field("zone")} defaultValue={zone}>
                  <option value="">As this browser has it</option>
                  <option>UTC</option>
                  {zones.map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
                <span {...form.error("zone")} className="problem" />
              </label>
              <button type="submit">Save</button>
            </div>
            <Said form={form} />
          </>
        )}
      </Form>
      <p className="second">
        It is <ExactTime at={now} />. UTC is in the title of every time. Without JavaScript the zone of the browser is
        not known, and times are in UTC until you choose one.
      </p>
    </section>
  );
}
