import { href, Link } from "holdfast";
import { useAddress } from "../../../parts/address.ts";
import { useAlive } from "../../../parts/alive.ts";
import { many, milliseconds } from "../../../parts/charts/numbers.ts";
import { rowsAtFirst, Waterfall } from "../../../parts/charts/waterfall.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Pairs } from "../../../parts/event/pairs.tsx";
import { exactTime } from "../../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/traces/[id]">;

/** Browser, server and queries on one axis. Bars on the critical path are filled. */
export default function Trace({ data, params: { project } }: Props) {
  return (
    <main className={data.span ? "with-aside" : undefined}>
      <title>{`Trace ${data.traceId.slice(0, 8)} · Holdfast`}</title>
      <meta name="description" content="Browser, server and queries on one axis." />
      <header>
        <h1>Trace</h1>
        <p className="row-of-links">
          <code className="breaks">{data.traceId}</code>
          <CopyButton text={data.traceId}>Copy</CopyButton>
          <span className="second">
            {exactTime(data.startMs)} · {milliseconds(data.durationMs)} · {many(data.spans, "span")}
            {data.damaged > 0 && ` · ${many(data.damaged, "part")} can no longer be read`}
          </span>
        </p>
        <Errors data={data} project={project} />
        <Links links={data.links} project={project} />
      </header>
      <div className="main-part">
        <form className="asks one-line">
          <label>
            <span className="unseen">Filter spans</span>
            <input type="search" name="filter" data-key="f" defaultValue={data.filter} placeholder="Filter spans" />
          </label>
          <button type="submit">
            Filter <kbd>f</kbd>
          </button>
        </form>
        {data.lines.ids.length === 0 ? (
          <p className="notice">
            {data.filter === "" ? "No spans arrived: its client did not sample them." : "No span fits the filter."}
          </p>
        ) : (
          <>
            {data.axis.name !== undefined && <Zoomed name={data.axis.name} />}
            <Waterfall
              key={data.filter}
              lines={data.lines}
              axis={data.axis}
              from={data.from}
              chosen={data.span?.id}
              pins={pinsOf(data, project)}
            />
            <FurtherLines from={data.from} count={data.lines.ids.length} />
          </>
        )}
        <Logs logs={data.logs} />
      </div>
      {data.span && <Span span={data.span} isZoomed={data.axis.span === data.span.id} />}
    </main>
  );
}

function Zoomed({ name }: { name: string }) {
  const address = useAddress();
  return (
    <p className="row-of-links">
      <span className="breaks">
        The axis shows the time of <strong>{name}</strong>.
      </span>
      <a href={address({ zoom: undefined })} data-scroll="keep" data-replace="" data-key="-">
        Show the whole trace <kbd>-</kbd>
      </a>
    </p>
  );
}

function pinsOf({ errors, logs }: Props["data"], project: string) {
  return [
    ...errors.map(({ eventId, level, afterMs }) => ({
      afterMs,
      kind: "error" as const,
      text: nameOf(level),
      leads: href("/[project]/events/[id]", { project, id: eventId }),
    })),
    ...logs.map(({ afterMs, level, body }) => ({
      afterMs,
      kind: "log" as const,
      text: `${level}: ${body.slice(0, 200)}`,
    })),
  ];
}

/** `Error`, `Fatal`, `Info`: an event of a trace need not be an error. */
function nameOf(level: string): string {
  return level.charAt(0).toUpperCase() + level.slice(1);
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

function Errors({ data, project }: { data: Props["data"]; project: string }) {
  if (data.errors.length === 0) return null;
  return (
    <ul className="plain row-of-links" aria-label="Events of this trace">
      {data.errors.map(({ eventId, level, afterMs }) => (
        <li key={eventId} className={level === "error" || level === "fatal" ? "state regressed" : undefined}>
          {(level === "error" || level === "fatal") && "▲ "}
          <Link to="/[project]/events/[id]" params={{ project, id: eventId }}>
            {nameOf(level)} after {milliseconds(Math.max(0, afterMs))}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Without scripts, only the rows in the document exist. */
function FurtherLines({ from, count }: { from: number; count: number }) {
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

function Span({ span, isZoomed }: { span: NonNullable<Props["data"]["span"]>; isZoomed: boolean }) {
  const address = useAddress();
  return (
    <aside aria-labelledby="span" className="sticks">
      <div className="title-line">
        <h2 id="span" className="breaks">
          {span.name}
        </h2>
        <a href={address({ span: undefined })} data-scroll="keep" data-replace="" data-prefetch="none">
          Close
        </a>
      </div>
      <p>
        {milliseconds(span.durationMs)}, {milliseconds(span.selfMs)} of it itself; begins after{" "}
        {milliseconds(span.afterMs)}
        {span.isCritical && "; on the critical path"}
      </p>
      {!isZoomed && span.durationMs > 0 && (
        <p>
          <a
            className="button"
            href={address({ zoom: span.id })}
            data-scroll="keep"
            data-replace=""
            data-prefetch="none"
            data-key="+"
          >
            Fill the axis with it <kbd>+</kbd>
          </a>
        </p>
      )}
      <Pairs pairs={span.pairs} />
    </aside>
  );
}

function Logs({ logs }: { logs: Props["data"]["logs"] }) {
  if (logs.length === 0) return null;
  return (
    <section aria-labelledby="logs">
      <h2 id="logs">Logs</h2>
      <ol className="steps">
        {logs.map(({ afterMs, level, body }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: logs are past and do not change
          <li key={index} className={level === "error" || level === "fatal" ? "fails" : undefined}>
            <span className="second">{milliseconds(afterMs)}</span>
            <span className="kind">{level}</span>
            <span className="breaks">{body}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
