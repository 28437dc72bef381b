import { type ActionRef, Form } from "holdfast";
import { Said } from "../settings/said.tsx";

interface SpikeProtectionProps {
  rules: { isOn: boolean; times: number; least: number };
  /** Only for owners. */
  action: ActionRef | undefined;
}

/** What happens when far more errors arrive than usual. */
export function SpikeProtection({ rules, action }: SpikeProtectionProps) {
  return (
    <section aria-labelledby="spikes">
      <h2 id="spikes">Spike protection</h2>
      <p>
        When far more errors arrive than usual, one of every kind is kept in each minute, and a sample of the others.
        The rest is counted. The issue list, the audit log and the channels of alerts say so.
      </p>
      {action ? (
        <Form action={action}>
          {(form) => (
            <>
              <div className="asks">
                <label className="check">
                  <input type="checkbox" name="isOn" defaultChecked={rules.isOn} /> Drop repeated errors in a spike
                </label>
                <label>
                  From so many times the usual number on
                  <input inputMode="numeric" {...form.field("times")} defaultValue={rules.times} />
                  <span {...form.error("times")} className="problem" />
                </label>
                <label>
                  And so many errors in a minute
                  <input inputMode="numeric" {...form.field("least")} defaultValue={rules.least} />
                  <span {...form.error("least")} className="problem" />
                </label>
                <button type="submit">Keep it</button>
              </div>
              <Said form={form} />
            </>
          )}
        </Form>
      ) : (
        <p>{rules.isOn ? `On, from ${rules.times} times the usual number on.` : "Off: every error is kept."}</p>
      )}
    </section>
  );
}
