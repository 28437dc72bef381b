import { type ActionRef, Form, Link } from "holdfast";
import { NumberHead } from "../../parts/charts/number-head.tsx";
import { milliseconds } from "../../parts/charts/numbers.ts";
import { taskWords } from "../../parts/scheduled-tasks.tsx";
import { Said } from "../../parts/settings/said.tsx";
import { lastDuration } from "../../parts/time/last-duration.ts";
import { type Exact, TimeAgo, useExact } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/schedules">;
type Task = Props["data"]["tasks"][number];
type Run = Task["runs"][number];

/** Tasks that check in, with their last runs. */
export default function Schedules({ data, params: { project }, actions }: Props) {
  return (
    <main>
      <title>Schedules · Holdfast</title>
      <meta name="description" content="Scheduled tasks: when they are due, and how their last runs ended." />
      <h1>Schedules</h1>
      {data.tasks.length === 0 ? (
        <div className="empty">
          <h2>No task has checked in</h2>
          <p>
            A task of <code>src/schedules.server.ts</code> appears with its first run. So does any other that checks in
            with a Sentry client, <code>sentry-cli monitors run</code> or a plain request.
          </p>
        </div>
      ) : (
        <>
          <div className="wide">
            <table className="schedules">
              <thead>
                <tr>
                  <th scope="col">Task</th>
                  <th scope="col">Last runs, newest right</th>
                  <th scope="col">Now</th>
                  <NumberHead>Duration</NumberHead>
                  <th scope="col">Next</th>
                  {data.mayChange && (
                    <th scope="col">
                      <span className="unseen">Change</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>
                {data.tasks.map((task) => (
                  <TaskRow
                    key={`${task.name} ${task.environment}`}
                    task={task}
                    now={data.now}
                    project={project}
                    change={data.mayChange ? actions.change : undefined}
                  />
                ))}
              </tbody>
            </table>
          </div>
          <p className="second">{runKinds.map((kind) => `${marks[kind]} ${words[kind]}`).join(" · ")}</p>
          {data.hidden > 0 && <p className="second">{data.hidden} more are not listed.</p>}
        </>
      )}
      {/* A deleted row disappears, so the result is shown below. */}
      <Form action={actions.change} of="task" notices={false}>
        {(form) => <Said form={form} />}
      </Form>
    </main>
  );
}

interface RowProps {
  task: Task;
  now: number;
  project: string;
  change: ActionRef | undefined;
}

function TaskRow({ task, now, project, change }: RowProps) {
  const { name, environment, schedule, state, lastAt, nextDueAt, runs, isMuted, problems } = task;
  // A failure that is the state is named once.
  const others = problems.filter((kind) => kind !== state.kind);
  const took = lastDuration(runs);
  return (
    <tr data-row="">
      <th scope="row">
        <Link to="/[project]/issues" params={{ project }} search={{ q: `check_in.monitor:${JSON.stringify(name)}` }}>
          {name}
        </Link>{" "}
        <span className="second">{environment}</span>
        <span className="limit">{schedule ?? "no schedule is known"}</span>
      </th>
      <td>
        <Strip runs={runs} />
      </td>
      <td>
        <span className={taskWords[state.kind].startsWith("▲") ? "problem" : undefined}>
          {taskWords[state.kind]} <TimeAgo at={state.kind === "overdue" ? state.expectedAt : lastAt} now={now} />
        </span>
        {isMuted && <span className="limit">∅ muted</span>}
        {others.length > 0 && !isMuted && <span className="limit over">▲ {others.map(wordOf).join(", ")}</span>}
      </td>
      <td className="number" data-label="Duration">
        {took === undefined ? "–" : milliseconds(took)}
      </td>
      <td data-label="Next">{nextDueAt === undefined ? "–" : <TimeAgo at={nextDueAt} now={now} />}</td>
      {change && (
        <td className="changes">
          <Form action={change} of="task" notices={false}>
            <input type="hidden" name="name" value={name} />
            <input type="hidden" name="environment" value={environment ?? ""} />
            <button type="submit" className="quiet" name="do" value={isMuted ? "unmute" : "mute"}>
              {isMuted ? "Unmute" : "Mute"}
            </button>{" "}
            <button type="submit" className="quiet" name="do" value="delete">
              Delete
            </button>
          </Form>
        </td>
      )}
    </tr>
  );
}

const words: Readonly<Record<Run["kind"], string>> = {
  ok: "ended well",
  late: "began late",
  failed: "failed",
  "too-long": "too long",
  missed: "missed",
  running: "running",
};

function wordOf(kind: "missed" | "late" | "too-long" | "failed"): string {
  return words[kind];
}

/** Each kind has its own form, not only its own colour. */
const marks: Readonly<Record<Run["kind"], string>> = {
  ok: "✓",
  late: "◷",
  failed: "▲",
  "too-long": "»",
  missed: "✗",
  running: "…",
};

const runKinds: readonly Run["kind"][] = ["ok", "late", "failed", "too-long", "missed", "running"];

function Strip({ runs }: { runs: readonly Run[] }) {
  const exact = useExact();
  if (runs.length === 0) return <span className="second">none yet</span>;
  return (
    <ol className="runs">
      {runs.map((run) => (
        <li key={`${run.kind} ${run.at}`} className={run.kind} title={titleOf(run, exact)}>
          <span aria-hidden="true">{marks[run.kind]}</span>
          <span className="unseen">{titleOf(run, exact)}</span>
        </li>
      ))}
    </ol>
  );
}

function titleOf({ kind, at, durationMs }: Run, exact: Exact): string {
  return `${words[kind]}, ${exact(at)}${durationMs === undefined ? "" : `, ${milliseconds(durationMs)}`}`;
}
