import { Link } from "holdfast";
import { useAddress } from "../../../parts/address.ts";
import { useAlive } from "../../../parts/alive.ts";
import { grouped, many, milliseconds } from "../../../parts/charts/numbers.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { ReleaseLink } from "../../../parts/release/release-link.tsx";
import { ExactTime } from "../../../parts/time/time-ago.tsx";
import { Advice } from "../../../parts/trace/advice.tsx";
import { SpanPanel } from "../../../parts/trace/span-panel.tsx";
import { TraceKey } from "../../../parts/trace/trace-key.tsx";
import { rowsAtFirst, Waterfall } from "../../../parts/trace/waterfall.tsx";

type Props = PageProps<"/[project]/traces/[id]">;

/** Browser, server and queries on one axis. */
export default function Trace({ data, params: { project } }: Props) {
  return (
    <main className={data.chosen ? "with-aside" : undefined}>
      <title>{`${data.title} · Holdfast`}</title>
      <meta name="description" content="Browser, server and queries on one axis." />
      <header>
        <p className="over-title second">
          Trace <code className="breaks">{data.traceId}</code>
          <CopyButton text={data.traceId}>Copy</CopyButton>
        </p>
        <h1 className="breaks">{data.title}</h1>
        <p className="row-of-links">
          {data.hasFailed && <span className="state regressed">▲ Failed</span>}
          <span className="second">
            <ExactTime at={data.startMs} /> · {many(data.spans, "span")}
            {data.environment && ` · ${data.environment}`}
            {data.damaged > 0 && ` · ${many(data.damaged, "part")} can no longer be read`}
          </span>
          {data.release && <ReleaseLink project={project} name={data.release} />}
          {data.route && (
            <Link to="/[project]/pages/route" params={{ project }} search={{ route: data.route }}>
              Traces of {data.route}
            </Link>
          )}
        </p>
        <Errors data={data} project={project} />
        <Links links={data.links} project={project} />
      </header>
      <div className="main-part">
        <Advice advice={data.advice} />
        <div className="title-line">
          <Filter filter={data.filter} />
          {data.rowCounts.folded < data.rowCounts.all && <RowChoice data={data} />}
        </div>
        {data.rows.length === 0 ? (
          <p className="notice">
            {data.filter === "" ? "No spans arrived: its client did not sample them." : "No span fits the filter."}
          </p>
        ) : (
          <>
            <TraceKey kinds={data.kinds} criticalMs={data.criticalMs} hasFailed={data.hasFailed} />
            <LeftOut data={data} />
            <Waterfall
              key={data.filter}
              project={project}
              rows={data.rows}
              axis={data.axis}
              wholeMs={data.durationMs}
              map={data.map}
              from={data.from}
              chosen={data.chosen?.id}
              at={data.at}
              pins={data.pins}
            />
            <FurtherRows from={data.from} count={data.rows.length} />
          </>
        )}
        <Logs logs={data.logs} />
      </div>
      {data.chosen && <SpanPanel chosen={data.chosen} />}
    </main>
  );
}

function Filter({ filter }: { filter: string }) {
  return (
    <form className="asks one-line">
      <label>
        <span className="unseen">Filter spans</span>
        <input type="search" name="filter" data-key="f" defaultValue={filter} placeholder="Filter spans" />
      </label>
      <button type="submit">
        Filter <kbd>f</kbd>
      </button>
    </form>
  );
}

function RowChoice({ data: { rowCounts, foldsRepeats } }: Pick<Props, "data">) {
  const address = useAddress();
  const to = (rows: string | undefined) => address({ rows, toggled: undefined, at: undefined });
  return (
    <nav className="choices" aria-label="Rows">
      <a href={to(undefined)} data-replace="" aria-current={foldsRepeats ? "page" : undefined}>
        Folded <span className="second">{grouped(rowCounts.folded)}</span>
      </a>
      <a href={to("all")} data-replace="" aria-current={foldsRepeats ? undefined : "page"}>
        All <span className="second">{grouped(rowCounts.all)}</span>
      </a>
    </nav>
  );
}

/** What the waterfall does not show, and how to see it. */
function LeftOut({ data: { range, leftOut } }: Pick<Props, "data">) {
  const address = useAddress();
  return (
    <>
      {range && (
        <p className="row-of-links">
          <span>{range}</span>
          <a href={address({ range: undefined })} data-scroll="keep" data-replace="" data-key="-">
            Show the whole trace <kbd>-</kbd>
          </a>
        </p>
      )}
      {leftOut && <p className="notice">{leftOut}</p>}
    </>
  );
}

const relations = { previous: "Before this", prefetch: "Fetched ahead in", linked: "Linked" } as const;

/** The visitor's previous page, and the prefetch of a page, are separate traces. */
function Links({ links, project }: { links: Props["data"]["links"]; project: string }) {
  if (links.length === 0) return null;
  return (
    <ul className="plain row-of-links" aria-label="Linked traces">
      {links.map(({ traceId, spanId, from, relation, isKept }) => (
        <li key={traceId + spanId}>
          <span className="second">
            {relations[relation]}
            {relation === "linked" && `, by ${from.name}`}:
          </span>{" "}
          {isKept ? (
            <Link to="/[project]/traces/[id]" params={{ project, id: traceId }} search={{ span: spanId }}>
              trace {traceId.slice(0, 8)}
            </Link>
          ) : (
            <span className="second">trace {traceId.slice(0, 8)}, which was not kept</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The others are at their spans and on the axis. */
const mostListed = 5;

function Errors({ data, project }: { data: Props["data"]; project: string }) {
  if (data.errors.length === 0) return null;
  return (
    <ul className="plain row-of-links" aria-label="Events of this trace">
      {data.errors.slice(0, mostListed).map(({ eventId, isError, title }) => (
        <li key={eventId} className={isError ? "trouble breaks" : undefined}>
          {isError && "▲ "}
          <Link to="/[project]/events/[id]" params={{ project, id: eventId }}>
            {title}
          </Link>
        </li>
      ))}
      {data.errors.length > mostListed && <li className="second">{data.errors.length - mostListed} more below</li>}
    </ul>
  );
}

/** Without scripts, only the rows in the document exist. */
function FurtherRows({ from, count }: { from: number; count: number }) {
  const address = useAddress();
  if (useAlive() || count <= rowsAtFirst) return null;
  const to = (place: number): string => address({ from: String(place) });
  return (
    <nav className="paging" aria-label="Parts of the trace">
      {from > 0 && <a href={to(Math.max(0, from - rowsAtFirst))}>Spans before</a>}
      {from + rowsAtFirst < count && <a href={to(from + rowsAtFirst)}>Spans after</a>}
    </nav>
  );
}

function Logs({ logs }: { logs: Props["data"]["logs"] }) {
  if (logs.length === 0) return null;
  return (
    <section aria-labelledby="logs">
      <h2 id="logs">Logs</h2>
      <ol className="steps">
        {logs.map(({ afterMs, level, body, fails }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: logs are past and do not change
          <li key={index} className={fails ? "fails" : undefined}>
            <span className="second">{milliseconds(afterMs)}</span>
            <span className="kind">{level}</span>
            <span className="breaks">{body}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
