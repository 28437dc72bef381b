import { type ActionRef, Form } from "holdfast";
import { bytes, many } from "../charts/numbers.ts";
import { ExactTime } from "../time/time-ago.tsx";
import { Said } from "./said.tsx";
import { shownIn } from "./typed-bytes.ts";

interface StorageProps {
  /** Newest first. */
  files: readonly { name: string; from: number; to: number; bytes: number }[];
  /** Set if the oldest events were deleted early. */
  keptSince: number | undefined;
  /** Disk use by purpose. */
  parts: readonly { what: string; bytes: number }[];
  /** Deleted so far for lack of space. */
  gone: { events: number; issues: number; sourceMaps: number };
  keepDays: number;
  keepBytes: number;
  /** Only for owners of all projects. */
  action: ActionRef | undefined;
}

/** Retention settings and disk use. */
export function Storage({ files, keptSince, parts, gone, keepDays, keepBytes, action }: StorageProps) {
  const used = parts.reduce((sum, part) => sum + part.bytes, 0);
  return (
    <section aria-labelledby="storage">
      <h2 id="storage">What is kept</h2>
      <p>
        {bytes(used)} of at most {bytes(keepBytes)}, for {keepDays} days. Every file of the service counts. When room or
        time is up, the oldest events go first; what was counted stays.
      </p>
      <meter
        className="long"
        min={0}
        max={keepBytes}
        value={used}
        aria-label={`${bytes(used)} of ${bytes(keepBytes)}`}
      />
      <dl className="shares">
        {parts.map((part) => (
          <div key={part.what}>
            <dt>{part.what}</dt>
            <dd>{bytes(part.bytes)}</dd>
          </div>
        ))}
      </dl>
      {gone.events > 0 && (
        <p className="notice">
          For want of room {madeWay(gone)} had to go so far.{" "}
          {keptSince !== undefined && (
            <>
              Events are kept since <ExactTime at={keptSince} />.
            </>
          )}
        </p>
      )}
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
                    min={0.04}
                    step={0.01}
                    name="keepGigabytes"
                    defaultValue={shownIn(1_000_000_000, keepBytes)}
                  />
                  <span {...form.error("keepBytes")} className="problem" />
                </label>
                <button type="submit">Save</button>
              </div>
              <Said form={form} />
            </>
          )}
        </Form>
      )}
      <details className="group">
        <summary>By file</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Events</th>
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
                <td>
                  <ExactTime at={file.from} />
                </td>
                <td>
                  <ExactTime at={file.to} />
                </td>
                <td className="number">{bytes(file.bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

/** `1,200 events, 3 issues and 1 source map`. */
function madeWay({ events, issues, sourceMaps }: StorageProps["gone"]): string {
  const all = [
    many(events, "event"),
    ...(issues > 0 ? [many(issues, "issue")] : []),
    ...(sourceMaps > 0 ? [many(sourceMaps, "source map")] : []),
  ];
  return new Intl.ListFormat("en").format(all);
}
