import { type ActionRef, Form, href } from "holdfast";
import { Said } from "../settings/said.tsx";
import { SignOut } from "../sign-out.tsx";
import { TimeAgo } from "../time/time-ago.tsx";

interface OwnSessionsProps {
  sessions: readonly {
    id: string;
    device: string | undefined;
    network: string | undefined;
    began: number;
    used: number;
    isThis: boolean;
  }[];
  now: number;
  project: string;
  action: ActionRef;
}

export function OwnSessions({ sessions, now, project, action }: OwnSessionsProps) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul className="plain sessions">
        {sessions.map(({ id, device = "Unknown device", network, began, used, isThis }) => (
          <li key={id} className="own-session">
            <div>
              <strong>{device}</strong> {isThis && <span className="state resolved">This one</span>}
              <p className="second">
                {network !== undefined && `${network} · `}since <TimeAgo at={began} now={now} /> · used{" "}
                {isThis ? "now" : <TimeAgo at={used} now={now} />}
              </p>
            </div>
            {isThis ? (
              <SignOut />
            ) : (
              <Form action={action} of="session" notices={false}>
                <input type="hidden" name="id" value={id} />
                <button type="submit" aria-label={`End the session of ${device}`}>
                  End
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {/* An ended session disappears, so the result is shown below. */}
      <Form action={action} of="session">
        {(form) => <Said form={form} />}
      </Form>
      {sessions.length > 1 && (
        <Form action={action} of="session" notices={false}>
          <button type="submit" name="do" value="others">
            End all others
          </button>
        </Form>
      )}
      {/* A plain form, so that nothing of these pages stays in the tab. */}
      <form method="post" action={`${href("/[project]/me", { project })}/_action/everywhere`} data-hard="">
        <button type="submit" className="grave">
          Sign out everywhere
        </button>
      </form>
    </section>
  );
}
