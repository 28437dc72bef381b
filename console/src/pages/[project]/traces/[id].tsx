import { Link, usePage } from "holdfast";
import { exactTime } from "../../../parts/moment.tsx";
import { many, milliseconds, percent } from "../../../parts/numbers.ts";
import { Pairs } from "../../../parts/pairs.tsx";

type Props = PageProps<"/_holdfast/[project]/traces/[id]">;

/** Browser, server and queries on one axis. Bars on the critical path are filled; the rest only waited beside them. */
export default function Trace({ data, params: { project } }: Props) {
  return (
    <main>
      <title>{`Trace ${data.traceId.slice(0, 8)} · Holdfast`}</title>
      <header>
        <h1>
          Trace <code>{data.traceId}</code>
        </h1>
        <p className="second">
          {exactTime(data.startMs)} · {milliseconds(data.durationMs)} · {many(data.spans, "span")}
          {data.damaged > 0 && ` · ${many(data.damaged, "part")} can no longer be read`}
        </p>
      </header>
      {data.errors.length > 0 && (
        <ul className="plain" aria-label="Errors of this trace">
          {data.errors.map(({ eventId, from }) => (
            <li key={eventId} className="state regressed">
              ▲{" "}
              <Link to="/_holdfast/[project]/events/[id]" params={{ project, id: eventId }}>
                Error after {milliseconds(from * data.durationMs)}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <form className="asks">
        <label>
          Filter spans <input type="search" name="filter" defaultValue={data.filter} />
        </label>
        <button type="submit">Filter</button>
      </form>
      {data.lines.length === 0 ? (
        <p className="notice">
          {data.filter === "" ? "No spans arrived: its client did not sample them." : "No span fits the filter."}
        </p>
      ) : (
        <Waterfall data={data} />
      )}
      {data.span && (
        <section aria-labelledby="span" className="notice">
          <h2 id="span" className="breaks">
            {data.span.name}
          </h2>
          <Pairs pairs={data.span.pairs} />
        </section>
      )}
      {data.logs.length > 0 && (
        <section aria-labelledby="logs">
          <h2 id="logs">Logs</h2>
          <ol className="steps">
            {data.logs.map(({ afterMs, level, body }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: logs are past and do not change
              <li key={index} className={level === "error" || level === "fatal" ? "fails" : undefined}>
                <span className="second">{milliseconds(Math.max(0, afterMs))}</span>
                <span className="kind">{level}</span>
                <span className="breaks">{body}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </main>
  );
}

function Waterfall({ data }: { data: Props["data"] }) {
  const { path } = usePage();
  return (
    <table className="waterfall">
      <thead>
        <tr>
          <th scope="col">Span</th>
          <th scope="col" className="number">
            Took
          </th>
          <th scope="col" className="number rare">
            Itself
          </th>
          <th scope="col" aria-label="Where in the trace">
            <span className="axis">
              <span>0</span>
              <span>{milliseconds(data.durationMs / 2)}</span>
              <span>{milliseconds(data.durationMs)}</span>
            </span>
          </th>
        </tr>
      </thead>
      <tbody>
        {data.lines.map((line) => (
          <tr key={line.id} data-row="" id={`span-${line.id}`}>
            <th scope="row" style={{ paddingLeft: 8 + Math.min(line.depth, 20) * 12 }}>
              <a href={`${path}?span=${line.id}#span-${line.id}`} title={line.name}>
                {line.op && <span className="second">{line.op} </span>}
                {line.name}
                {line.status !== "ok" && line.status !== "unset" && (
                  <span className="state regressed"> {line.status}</span>
                )}
                {line.isOrphan && <span className="second"> (its parent never arrived)</span>}
              </a>
            </th>
            <td className="number">{milliseconds(line.durationMs)}</td>
            <td className="number rare">{milliseconds(line.selfMs)}</td>
            <td className="lane">
              <span
                className={line.isCritical ? "bar critical" : "bar"}
                style={{ marginLeft: percent(line.from, 2), width: percent(line.share, 2) }}
                title={line.isCritical ? "On the critical path" : undefined}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
