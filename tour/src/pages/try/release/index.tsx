import { Form } from "holdfast";
import type { ReleaseRun, RunState } from "../../../server/run-release.ts";

export default function Release({ actions }: PageProps<"/try/release">) {
  return (
    <div className="card stack">
      <p>
        A server of its own starts beside this tour and serves it as two releases. 2.4.0 answers 20 visitors of each
        page. Then 2.5.0 takes over, whose cart fails, and visitors come until the server has decided.
      </p>
      <Form action={actions.run}>
        {(form) => (
          <div className="stack">
            <p className="buttons">
              <button className="button primary" type="submit" disabled={form.pending}>
                {form.pending ? "Two releases are started and visited" : "Deploy a release that breaks the cart"}
              </button>
            </p>
            {form.result && <Outcome state={form.result} />}
          </div>
        )}
      </Form>
      <p>
        With four workers, ten pages, a fix and a way back: <code>tests/journeys/healing.test.ts</code>.
      </p>
    </div>
  );
}

function Outcome({ state }: { state: RunState }) {
  if (state.kind === "done") return <Visits run={state.run} />;
  return (
    <p role="status">
      {state.kind === "running"
        ? "It is not over yet: press again to see what came of it."
        : "It needs a build and a folder to write to; here it could not run."}
    </p>
  );
}

function Visits({ run }: { run: ReleaseRun }) {
  return (
    <div role="status" className="stack">
      <p>
        {run.said.map((sentence) => (
          <span key={sentence} className="state warning">
            {sentence}
          </span>
        ))}
      </p>
      <div className="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">Saw an error</th>
              <th scope="col">Answered by 2.5.0</th>
              <th scope="col">Answered by 2.4.0</th>
            </tr>
          </thead>
          <tbody>
            {run.pages.map(({ path, failed, byNew, byBefore }) => (
              <tr key={path}>
                <td>
                  <code>{path}</code>
                </td>
                <td>{failed}</td>
                <td>{byNew}</td>
                <td>{byBefore}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
