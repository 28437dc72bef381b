import { Form, href } from "holdfast";
import { KeptSaid } from "../../parts/kept/kept-said.tsx";
import { KeptState } from "../../parts/kept/kept-state.tsx";
import { KeptSubmission } from "../../parts/kept/kept-submission.tsx";
import { TimeAgo } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/kept">;

/** What visitors sent to actions that failed: all, those of an issue, or one. */
export default function Kept(props: Props) {
  const { data, params, actions } = props;
  const { project } = params;
  const { issue, one } = data;
  return (
    <main>
      <title>Kept submissions · Holdfast</title>
      <meta name="description" content="What visitors sent to actions that failed, to be run again after the fix." />
      <h1>Kept submissions{issue && ` of issue #${issue}`}</h1>
      {data.isElsewhere ? <Elsewhere /> : <Which {...props} />}
      {one && (
        <KeptSubmission kept={one} project={project} now={data.now} action={data.mayChange ? actions.one : undefined} />
      )}
      {data.code && !one && !data.isElsewhere && <p>Nothing is kept under {data.code}.</p>}
      {!data.code && !data.isElsewhere && <List {...props} />}
    </main>
  );
}

function Which({ data: { issue, all, code }, params: { project } }: Props) {
  const about = issue ? { issue } : undefined;
  const isList = !code;
  return (
    <nav className="choices" aria-label="Which submissions">
      <a href={href("/[project]/kept", { project }, about)} aria-current={isList && !all ? "page" : undefined}>
        Waiting
      </a>
      <a
        href={href("/[project]/kept", { project }, { ...about, show: "all" })}
        aria-current={isList && all ? "page" : undefined}
      >
        All
      </a>
      {issue && <a href={href("/[project]/issues/[number]", { project, number: issue })}>Issue #{issue}</a>}
    </nav>
  );
}

function List(props: Props) {
  const { data, params, actions } = props;
  const { runnable, issue, now } = data;
  return (
    <>
      {data.mayChange && (
        <Form action={actions.all} of="all" notices={false} className="kept">
          {(form) => (
            <>
              {/* What is kept later is not part of the press. */}
              <input type="hidden" name="seen" value={now} />
              <input type="hidden" name="issue" value={issue ?? ""} />
              {runnable > 0 && (
                <div className="toolbar">
                  <button type="submit" name="do" value="check-all">
                    Dry run all
                  </button>
                  <button type="submit" name="do" value="run-all">
                    Run all {runnable}
                  </button>
                </div>
              )}
              <KeptSaid form={form} project={params.project} />
            </>
          )}
        </Form>
      )}
      {data.entries.length === 0 ? <Nothing all={data.all} /> : <Table {...props} />}
      {data.hidden > 0 && <p className="second">{data.hidden} older ones are not listed.</p>}
    </>
  );
}

function Table({ data: { entries, now }, params: { project } }: Props) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">State</th>
          <th scope="col">Sent</th>
          <th scope="col">Issue</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((kept) => (
          <tr key={kept.code} data-row="">
            <th scope="row">
              <a href={href("/[project]/kept", { project }, { code: kept.code })}>{kept.code}</a>
              <span className="limit breaks">{kept.action}</span>
            </th>
            <td>
              <KeptState kept={kept} />
              {kept.by && <span className="limit breaks">by {kept.by}</span>}
            </td>
            <td>
              <TimeAgo at={kept.keptAt} now={now} />
            </td>
            <td>
              {kept.place ? (
                <a href={href("/[project]/issues/[number]", { project, number: kept.place.issue })}>
                  #{kept.place.issue}
                </a>
              ) : (
                "–"
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Nothing({ all }: { all: boolean }) {
  return (
    <div className="empty">
      <h2>{all ? "Nothing was kept" : "Nothing waits"}</h2>
      <p>
        An action with <code>keeps</code> writes what was sent to disk before it runs. If it fails, the visitor reads a
        code, and what was sent waits here.
      </p>
    </div>
  );
}

function Elsewhere() {
  return (
    <div className="empty">
      <h2>They are with the application</h2>
      <p>
        The application of this project runs elsewhere, and what its visitors sent stays there. On its machine,{" "}
        <code>npx holdfast kept list</code> shows it, and <code>npx holdfast kept run CODE</code> runs it again.
      </p>
    </div>
  );
}
