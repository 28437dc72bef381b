import { type ActionRef, Form } from "holdfast";
import { TimeAgo } from "../time/time-ago.tsx";
import { Said } from "./said.tsx";

type RoleName = "viewer" | "member" | "owner";

interface MembersProps {
  you: string;
  isOwnerOfAll: boolean;
  /** False: people come by the identity provider alone, so that an invite would not let them in. */
  hasPasswords: boolean;
  /** Name of the identity provider. */
  provider: string | undefined;
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
export function Members(props: MembersProps) {
  const { you, isOwnerOfAll, hasPasswords, provider, members, invites, now, action } = props;
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
              <td>
                {email !== you && (!everywhere || isOwnerOfAll) && (
                  <Change email={email} role={everywhere ? undefined : role} action={action} />
                )}
              </td>
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
      {provider && (
        <p className="second">
          People who sign in with {provider} have the roles of their groups there, from each sign-in on.
        </p>
      )}
      {hasPasswords && <Invite action={action} />}
    </section>
  );
}

function Invite({ action }: { action: ActionRef }) {
  return (
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
  );
}

/** Without a role: one that no single project decides about. */
function Change({ email, role, action }: { email: string; role: RoleName | undefined; action: ActionRef }) {
  return (
    <Form action={action} of="row" notices={false} className="toolbar">
      <input type="hidden" name="email" value={email} />
      {role !== undefined && (
        <>
          <RoleChoice chosen={role} label={`Role of ${email}`} />
          <button type="submit" name="do" value="role">
            Change
          </button>
          <button type="submit" name="do" value="remove" aria-label={`Remove ${email}`}>
            Remove
          </button>
        </>
      )}
      <button type="submit" name="do" value="sessions" aria-label={`Sign ${email} out everywhere`}>
        Sign out
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
