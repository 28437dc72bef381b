export default function Download() {
  return (
    <div className="card stack">
      <p className="buttons">
        <a className="button" href="/try/report" data-hard="">
          Save orders.csv
        </a>
      </p>
      <p className="muted">
        Answered by <code>src/pages/try/report.server.ts</code>: a server file without a page beside it is an API route.
      </p>
    </div>
  );
}
