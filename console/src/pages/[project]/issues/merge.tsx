import { Form, href, Link } from "holdfast";
import { many } from "../../../parts/charts/numbers.ts";
import { StateMark } from "../../../parts/issue/issue-state.tsx";
import { NoDefaultButton } from "../../../parts/issue/triage-menu.tsx";
import { Outcome } from "../../../parts/outcome.tsx";
import { TimeAgo } from "../../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/issues/merge">;
type Issue = Props["data"]["targets"][number];

/** The search for the issue that others are merged into. */
export default function Merge({ data, params: { project }, actions }: Props) {
  const { chosen, merged } = data;
  return (
    <main>
      <title>Merge issues · Holdfast</title>
      <meta name="description" content="Finds the issue that others are merged into." />
      <h1>{chosen.length === 1 ? "Merge this issue into another" : `Merge ${many(chosen.length, "issue")}`}</h1>
      {merged ? (
        <p>
          One issue now: <IssueLink issue={merged} project={project} />
        </p>
      ) : (
        <>
          <ul className="plain">
            {chosen.map((issue) => (
              <li key={issue.number}>
                <StateMark state={issue.state} /> <IssueLink issue={issue} project={project} />
              </li>
            ))}
          </ul>
          {data.mayChange ? (
            <Search data={data} project={project} action={actions.change} />
          ) : (
            <p className="second">Only members merge issues.</p>
          )}
        </>
      )}
      <Outcome action={actions.change} of="merge" />
    </main>
  );
}

function Search({
  data,
  project,
  action,
}: {
  data: Props["data"];
  project: string;
  action: Props["actions"]["change"];
}) {
  const { chosen, targets, typed, now } = data;
  const numbers = chosen.map(({ number }) => <input key={number} type="hidden" name="number" value={number} />);
  return (
    <>
      <search>
        <form action={href("/[project]/issues/merge", { project })} className="asks one-line">
          {numbers}
          <label>
            Into the issue with this number, title or digest
            <input type="search" name="find" data-key="f" defaultValue={typed} maxLength={1000} autoComplete="off" />
          </label>
          <button type="submit">Find</button>
        </form>
      </search>
      {targets.length === 0 && (
        <p>
          {typed === ""
            ? "No issue resembles it. Search for one."
            : `No other issue of this project matches “${typed}”.`}
        </p>
      )}
      <Form action={action} of="merge">
        <NoDefaultButton />
        {numbers}
        <input type="hidden" name="do" value="merge" />
        <ul className="plain found">
          {targets.map((issue) => (
            <li key={issue.number} data-row="" className="title-line">
              <span>
                <StateMark state={issue.state} /> <IssueLink issue={issue} project={project} />{" "}
                <span className="second">
                  {many(issue.events, "event")}, <TimeAgo at={issue.lastSeen} now={now} />
                </span>
              </span>
              <button type="submit" name="into" value={issue.number}>
                Merge into #{issue.number}
              </button>
            </li>
          ))}
        </ul>
      </Form>
    </>
  );
}

function IssueLink({ issue: { number, title }, project }: { issue: Issue; project: string }) {
  return (
    <Link to="/[project]/issues/[number]" params={{ project, number }} className="breaks">
      #{number} {title}
    </Link>
  );
}
