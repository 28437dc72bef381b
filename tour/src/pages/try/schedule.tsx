import { Form, Link } from "holdfast";

type Props = PageProps<"/try/schedule">;
type Run = Props["data"]["runs"][number];

export default function Scheduled({ data: { runs, failsNext }, actions }: Props) {
  return (
    <div className="card stack">
      <h2>
        Last runs of <code>remove-past-bookings</code>
      </h2>
      {runs.length === 0 ? (
        <p>
          None since this server started. A server that was built runs its tasks, so the first comes within a minute; in
          development none runs by itself.
        </p>
      ) : (
        <ul className="plain-list">
          {runs.map((run) => (
            <li key={run.dueAt.getTime()}>
              <time dateTime={run.dueAt.toISOString()}>{run.dueAt.toISOString().slice(11, 16)} UTC</time>{" "}
              <Outcome run={run} />
            </li>
          ))}
        </ul>
      )}
      {failsNext && <p role="status">The next run fails.</p>}
      <Form action={actions.failNext}>
        <p className="buttons">
          <button className="button primary" type="submit" disabled={failsNext}>
            Let the next run fail
          </button>
          <Link className="button" to="/try/schedule" prefetch="none">
            Refresh
          </Link>
        </p>
      </Form>
      <p>
        The operator sees{" "}
        <a href="/_holdfast/1/schedules" data-hard="">
          every task and its runs
        </a>
        , and{" "}
        <a href="/_holdfast/1/issues?q=check_in.monitor%3A%22remove-past-bookings%22" data-hard="">
          the issues of this one
        </a>
        .
      </p>
    </div>
  );
}

function Outcome({ run: { outcome } }: { run: Run }) {
  if (outcome.kind === "failed") return <span className="state error">✗ failed</span>;
  const { bookings } = outcome;
  return (
    <span className="state good">
      ✓ removed {bookings} {bookings === 1 ? "booking" : "bookings"}
    </span>
  );
}
