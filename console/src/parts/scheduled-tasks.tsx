import { Link } from "holdfast";
import { NumberHead } from "./charts/number-head.tsx";
import { milliseconds, short } from "./charts/numbers.ts";
import { TimeAgo } from "./time/time-ago.tsx";

type Task = PageProps<"/[project]">["data"]["tasks"][number];

export const taskWords: Readonly<Record<Task["state"]["kind"], string>> = {
  "ended-well": "✓ ended well",
  failed: "▲ failed",
  running: "running, begun",
  "no-end": "▲ no end yet, begun",
  overdue: "▲ overdue, expected",
};

/** Hidden without a task that reports. */
export function ScheduledTasks({ tasks, now, project }: { tasks: readonly Task[]; now: number; project: string }) {
  if (tasks.length === 0) return null;
  return (
    <section aria-labelledby="tasks">
      <div className="title-line">
        <h2 id="tasks">Scheduled tasks</h2>
        <Link to="/[project]/schedules" params={{ project }}>
          Their last runs
        </Link>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Last</th>
            <th scope="col" className="number rare">
              Duration
            </th>
            <NumberHead>Ended well</NumberHead>
            <NumberHead>Failed</NumberHead>
          </tr>
        </thead>
        <tbody>
          {tasks.map(({ name, environment, state, lastAt, took, ok, failed }) => (
            <tr key={`${name} ${environment}`}>
              <td>
                {name} <span className="second">{environment}</span>
              </td>
              <td className={taskWords[state.kind].startsWith("▲") ? "problem" : undefined}>
                {taskWords[state.kind]} <TimeAgo at={state.kind === "overdue" ? state.expectedAt : lastAt} now={now} />
                {state.kind === "overdue" && (
                  <span className="second">
                    ; last came <TimeAgo at={lastAt} now={now} />
                  </span>
                )}
              </td>
              <td className="number rare">{took === undefined ? "–" : milliseconds(took)}</td>
              <td className="number">{short(ok)}</td>
              <td className="number">{short(failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
