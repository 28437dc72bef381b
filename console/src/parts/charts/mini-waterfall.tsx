import { Link } from "holdfast";
import type { MiniWaterfall as Shown } from "../../server/mini-waterfall.ts";
import { milliseconds, styleShare } from "./numbers.ts";

/** Position of an event in its trace. */
export function MiniWaterfall({ trace, project, traceId }: { trace: Shown; project: string; traceId: string }) {
  return (
    <section aria-labelledby="trace">
      <div className="title-line">
        <h2 id="trace">Trace</h2>
        <Link to="/[project]/traces/[id]" params={{ project, id: traceId }}>
          All {trace.spans.toLocaleString("en")} spans
        </Link>
      </div>
      <ol className="mini">
        {trace.lines.map((line) => (
          <li key={line.id} className={line.hasEvent ? "fails" : undefined}>
            <span className="name" style={{ paddingLeft: Math.min(line.depth, 12) * 8 }}>
              {line.hasEvent && "▲ "}
              {line.op && <span className="second">{line.op} </span>}
              {line.name}
            </span>
            <span className="number second">{milliseconds(line.share * trace.durationMs)}</span>
            <span className="lane">
              <span
                className={line.isCritical ? "bar critical" : "bar"}
                style={{ marginLeft: styleShare(line.from), width: styleShare(line.share) }}
              />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
