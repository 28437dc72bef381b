import { type ActionRef, Form } from "holdfast";
import { bytes } from "../charts/numbers.ts";
import { Said } from "./said.tsx";
import { shownIn } from "./typed-bytes.ts";

interface AttachedProps {
  limits: { keep: boolean; fileBytes: number; eventBytes: number; dayBytes: number };
  /** Only for owners of all projects. */
  action: ActionRef | undefined;
}

const fields = [
  { name: "attachedFile", label: "One file, in MB", most: 16, of: "fileBytes" },
  { name: "attachedEvent", label: "All of one event, in MB", most: 20, of: "eventBytes" },
  { name: "attachedDay", label: "All of one project in a day, in MB", most: 1_000_000, of: "dayBytes" },
] as const;

/** What is kept of the files that clients attach to events. */
export function Attached({ limits, action }: AttachedProps) {
  return (
    <section aria-labelledby="attached">
      <h2 id="attached">Attached files</h2>
      {limits.keep ? (
        <p>
          Files that clients attach to events are kept as long as their events: up to {bytes(limits.fileBytes)} each,{" "}
          {bytes(limits.eventBytes)} with one event, {bytes(limits.dayBytes)} of one project in a day. What is more is
          left out and counted. Secrets are taken out of texts, but not out of pictures and other files.
        </p>
      ) : (
        <p>Files that clients attach to events are left out and counted. The events are kept.</p>
      )}
      {action && (
        <Form action={action}>
          {(form) => (
            <>
              <div className="asks">
                <label className="check">
                  <input type="checkbox" name="keepAttached" defaultChecked={limits.keep} />
                  Keep them
                </label>
                {fields.map(({ name, label, most, of }) => (
                  <label key={name}>
                    {label}
                    <input
                      type="number"
                      min={0.02}
                      max={most}
                      step={0.01}
                      {...form.field(name)}
                      defaultValue={shownIn(1_000_000, limits[of])}
                    />
                    <span {...form.error(name)} className="problem" />
                  </label>
                ))}
                <button type="submit">Save</button>
              </div>
              <Said form={form} />
            </>
          )}
        </Form>
      )}
    </section>
  );
}
