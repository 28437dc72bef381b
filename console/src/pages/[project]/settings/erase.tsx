import { Form, type FormState, href, Link } from "holdfast";
import { TimeAgo } from "../../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/settings/erase">;

const kinds = [
  ["visitor", "Everything of one visitor"],
  ["event", "One event"],
  ["issue", "An issue with all its events"],
  ["project", "Everything of this project"],
] as const;

const states = { waiting: "being removed", done: "removed", failed: "failed, it is tried again" } as const;

const subjects = {
  visitor: "A visitor",
  event: "An event",
  issue: "An issue",
  project: "The project",
  again: "After a restore",
} as const;

/** Forgetting: what would be removed, then the button that removes it, and what became of earlier ones. */
export default function Erase({ data, actions, params }: Props) {
  return (
    <main className="settings">
      <title>Forgetting · Holdfast</title>
      <meta name="description" content="Delete an event, an issue, a visitor or a project, and export a visitor." />
      <p>
        <Link to="/[project]/settings" params={{ project: params.project }}>
          Settings
        </Link>
      </p>
      <h1>Forgetting in {data.project.name}</h1>
      <p>
        A visitor is found by id, e-mail address or IP address, as the reports say it. Their events, traces, log lines,
        files and feedback are removed, and whatever else mentions the address. It cannot be undone.
      </p>
      <Form action={actions.erase} notices={false}>
        {(form) => (
          <>
            <Fields form={form} data={data} />
            <Planned form={form} project={params.project} />
          </>
        )}
      </Form>
      <Reports reports={data.reports} now={data.now} />
    </main>
  );
}

function Fields({ form, data }: { form: FormState; data: Props["data"] }) {
  const { event, issue, visitor } = data;
  const kind = event ? "event" : issue ? "issue" : visitor ? "this-visitor" : "visitor";
  return (
    <div className="asks">
      <label>
        What
        <select {...form.field("kind")} defaultValue={kind}>
          {visitor && <option value="this-visitor">The visitor of the page before</option>}
          {kinds.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <span {...form.error("kind")} className="problem" />
      </label>
      <label>
        Id, digest, number or address
        <input
          {...form.field("who")}
          defaultValue={event ?? issue ?? visitor ?? ""}
          maxLength={400}
          autoComplete="off"
        />
        <span {...form.error("who")} className="problem" />
      </label>
      <button type="submit" name="do" value="plan">
        What would be removed?
      </button>
    </div>
  );
}

interface Said {
  said: string;
  planned?: { kind: string; who: string };
  visitor?: string;
}

function Planned({ form, project }: { form: FormState; project: string }) {
  const result = isSaid(form.result) ? form.result : undefined;
  const { planned, visitor } = result ?? {};
  return (
    <div role="status" className={form.errors.length > 0 ? "problem" : undefined}>
      {result ? <p>{result.said}</p> : form.errors.join(" ")}
      {planned && (
        <p className="toolbar">
          <input type="hidden" name="plannedKind" value={planned.kind} />
          <input type="hidden" name="plannedWho" value={planned.who} />
          <button type="submit" name="do" value="erase" className="grave">
            Remove it
          </button>
          {visitor !== undefined && (
            <a href={href("/[project]/settings/export.ndjson", { project }, { visitor })} data-hard="">
              Export it first
            </a>
          )}
        </p>
      )}
    </div>
  );
}

function isSaid(result: unknown): result is Said {
  return typeof result === "object" && result !== null && "said" in result;
}

function Reports({ reports, now }: { reports: Props["data"]["reports"]; now: number }) {
  if (reports.length === 0) return null;
  return (
    <section aria-labelledby="reports">
      <h2 id="reports">Earlier ones</h2>
      <table className="cards">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What was removed</th>
            <th scope="col">By</th>
          </tr>
        </thead>
        <tbody>
          {reports.map(({ id, what, by, askedAt, state, removed, why }) => (
            <tr key={id} data-row="">
              <td data-label="When">
                <TimeAgo at={askedAt} now={now} />
              </td>
              <td data-label="Removed">
                <span>
                  {subjects[what]}: {state === "done" ? removed : `${states[state]}${why ? `: ${why}` : ""}`}
                </span>
              </td>
              <td data-label="By" className="breaks">
                {by}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
