import { type ActionRef, Form } from "holdfast";
import { bytes } from "../charts/numbers.ts";
import { exactTime } from "../time/time-ago.tsx";
import { Said } from "./said.tsx";

interface StorageProps {
  files: readonly { name: string; from: number; to: number; bytes: number }[];
  keepDays: number;
  keepBytes: number;
  scrub: { alsoSecret: readonly string[]; keepAddresses: boolean } | undefined;
  /** For owners of all projects alone. */
  action: ActionRef | undefined;
}

/** What is kept, for how long, and how much room it takes. */
export function Storage({ files, keepDays, keepBytes, scrub, action }: StorageProps) {
  const used = files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <section aria-labelledby="storage">
      <h2 id="storage">What is kept</h2>
      <p>
        {bytes(used)} of at most {bytes(keepBytes)}, for {keepDays} days. The oldest week goes first when room or time
        is up; what was counted stays.
      </p>
      <meter
        className="long"
        min={0}
        max={keepBytes}
        value={used}
        aria-label={`${bytes(used)} of ${bytes(keepBytes)}`}
      />
      {action && (
        <Form action={action}>
          {(form) => (
            <>
              <div className="asks">
                <label>
                  Days
                  <input type="number" min={1} max={3650} {...form.field("keepDays")} defaultValue={keepDays} />
                  <span {...form.error("keepDays")} className="problem" />
                </label>
                <label>
                  At most, in GB
                  <input
                    type="number"
                    min={0.1}
                    step={0.1}
                    name="keepGigabytes"
                    defaultValue={Math.round(keepBytes / 100_000_000) / 10}
                  />
                  <span {...form.error("keepBytes")} className="problem" />
                </label>
                <input type="hidden" name="alsoSecret" value={scrub?.alsoSecret.join(" ") ?? ""} />
                {scrub?.keepAddresses && <input type="hidden" name="keepAddresses" value="on" />}
                <button type="submit">Save</button>
              </div>
              <Said form={form} />
            </>
          )}
        </Form>
      )}
      <details className="group">
        <summary>By week</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Week</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col" className="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {files.map((file) => (
              <tr key={file.name}>
                <th scope="row">{file.name}</th>
                <td>{exactTime(file.from)}</td>
                <td>{exactTime(file.to)}</td>
                <td className="number">{bytes(file.bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
