import { type ActionRef, Form } from "holdfast";
import { TimeAgo } from "../time/time-ago.tsx";
import { Said } from "./said.tsx";

type RoleName = "viewer" | "member" | "owner";

interface MembersProps {
  you: string;
  members: readonly { email: string; name: string | undefined; role: RoleName; everywhere: boolean }[];
  invites: readonly { email: string; role: RoleName; ends: number }[];
  now: number;
  action: ActionRef;
}

const roles: readonly (readonly [RoleName, string])[] = [
  ["viewer", "viewer: looks"],
  ["member", "member: also changes issues"],
  ["owner", "owner: also decides about the project"],
];

/** Members of the project, open invites, and the form for new ones. */
export function Members({ you, members, invites, now, action }: MembersProps) {
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Role</th>
            <th scope="col">
              <span className="unseen">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map(({ email, name, role, everywhere }) => (
            <tr key={email}>
              <th scope="row" className="breaks">
                {name ?? email} {name !== undefined && <span className="second">{email}</span>}{" "}
                {email === you && <span className="second">(you)</span>}
              </th>
              <td>{everywhere ? `${role} of all projects` : role}</td>
              <td>{!everywhere && email !== you && <Change email={email} role={role} action={action} />}</td>
            </tr>
          ))}
          {invites.map(({ email, role, ends }) => (
            <tr key={`invited ${email}`}>
              <th scope="row" className="breaks">
                {email}{" "}
                <span className="second">
                  (invited until <TimeAgo at={ends} now={now} />)
                </span>
              </th>
              <td>{role}</td>
              <td>
                <Form action={action} of="row" notices={false}>
                  <input type="hidden" name="email" value={email} />
                  <button type="submit" name="do" value="cancel">
                    Revoke invite
                  </button>
                </Form>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {/* A changed row may disappear, so its result is shown below. */}
      <Form action={action} of="row">
        {(form) => <Said form={form} />}
      </Form>
      <Form action={action} of="invite">
        {(form) => (
          <>
            <div className="asks">
              <input type="hidden" name="do" value="invite" />
              <label>
                Invite by e-mail address
                <input type="email" required {...form.field("email")} />
                <span {...form.error("email")} className="problem" />
              </label>
              <RoleChoice chosen="member" label="Role" />
              <button type="submit">Invite</button>
            </div>
            <Said form={form} />
          </>
        )}
      </Form>
    </section>
  );
}

function Change({ email, role, action }: { email: string; role: RoleName; action: ActionRef }) {
  return (
    <Form action={action} of="row" notices={false} className="toolbar">
      <input type="hidden" name="email" value={email} />
      <RoleChoice chosen={role} label={`Role of ${email}`} />
      <button type="submit" name="do" value="role">
        Change
      </button>
      <button type="submit" name="do" value="remove" aria-label={`Remove ${email}`}>
        Remove
      </button>
    </Form>
  );
}

function RoleChoice({ chosen, label }: { chosen: RoleName; label: string }) {
  return (
    <select name="role" defaultValue={chosen} aria-label={label}>
      {roles.map(([role, words]) => (
        <option key={role} value={role}>
          {words}
        </option>
      ))}
    </select>
  );
}
