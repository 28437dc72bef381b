import { type ActionRef, Form } from "holdfast";
import { Said } from "../settings/said.tsx";

interface NameFormProps {
  /** E-mail address of the account. */
  address: string;
  name: string | undefined;
  action: ActionRef;
}

export function NameForm({ address, name, action }: NameFormProps) {
  return (
    <section aria-labelledby="name">
      <h2 id="name">Name</h2>
      <Form action={action}>
        {(form) => (
          <>
            <div className="asks">
              <label>
                Name that others see
                <input {...form.field("name")} defaultValue={name} maxLength={60} autoComplete="name" />
                <span {...form.error("name")} className="problem" />
              </label>
              <button type="submit">Save</button>
            </div>
            <Said form={form} />
          </>
        )}
      </Form>
      <p className="second">
        In place of <span className="breaks">{address}</span>, on issues, in comments and in the audit log. You sign in
        with the address.
      </p>
    </section>
  );
}

/** The address is in the form for password managers. */
export function PasswordForm({ address, action }: Omit<NameFormProps, "name">) {
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <Form action={action} className="sheet">
        {(form) => (
          <>
            <input type="text" autoComplete="username" value={address} readOnly hidden />
            <label>
              Old password
              <input type="password" name="old" autoComplete="current-password" required />
              <span {...form.error("old")} className="problem" />
            </label>
            <label>
              New password
              <input type="password" name="wanted" autoComplete="new-password" required />
              <span {...form.error("wanted")} className="problem" />
            </label>
            <button type="submit">Change the password</button>
            <Said form={form} />
          </>
        )}
      </Form>
      <p className="second">At least 15 characters. All other sessions end.</p>
    </section>
  );
}
