import { type ActionRef, Form } from "holdfast";
import { Said } from "../settings/said.tsx";

interface ConditionsProps {
  quietHours: { from: number; to: number; timeZone: string } | undefined;
  allowedHosts: readonly string[];
  summaryMail: "off" | "daily" | "weekly";
  decidesAll: boolean;
  /** Only for owners. */
  action: ActionRef | undefined;
}

/** When nothing or a summary is sent, and which hosts of the private network may be reached. */
export function Conditions({ quietHours, allowedHosts, summaryMail, decidesAll, action }: ConditionsProps) {
  return (
    <section aria-labelledby="conditions">
      <h2 id="conditions">Quiet hours, summaries and private hosts</h2>
      <p>
        {quietHours
          ? `From ${quietHours.from}:00 to ${quietHours.to}:00 ${quietHours.timeZone} nothing is sent.`
          : "There are no quiet hours."}{" "}
        What happens in quiet hours arrives as one summary at their end, in every channel.
      </p>
      {action && (
        <Form action={action} className="sheet">
          {(form) => (
            <>
              <label className="check">
                <input type="checkbox" name="isQuiet" defaultChecked={quietHours !== undefined} /> Quiet hours
              </label>
              <div className="asks hours">
                <label>
                  From
                  <input type="number" min={0} max={23} {...form.field("from")} defaultValue={quietHours?.from ?? 22} />
                  <span {...form.error("from")} className="problem" />
                </label>
                <label>
                  To
                  <input type="number" min={0} max={23} {...form.field("to")} defaultValue={quietHours?.to ?? 7} />
                </label>
                <label>
                  Time zone
                  <input {...form.field("timeZone")} defaultValue={quietHours?.timeZone ?? "UTC"} />
                  <span {...form.error("timeZone")} className="problem" />
                </label>
              </div>
              <label>
                Summary by mail, at 8 in the morning
                <select name="summaryMail" defaultValue={summaryMail}>
                  <option value="off">never</option>
                  <option value="daily">each day</option>
                  <option value="weekly">on Mondays</option>
                </select>
              </label>
              {decidesAll && (
                <label>
                  Private hosts that webhooks may reach
                  <input
                    {...form.field("allowedHosts")}
                    defaultValue={allowedHosts.join(" ")}
                    placeholder="chat.internal:8443"
                  />
                  <span {...form.error("allowedHosts")} className="problem" />
                </label>
              )}
              <button type="submit">Save</button>
              <Said form={form} />
            </>
          )}
        </Form>
      )}
    </section>
  );
}
