import { Link } from "holdfast";
import type { MiniWaterfall as Shown } from "../../server/trace/mini-waterfall.ts";
import { grouped, milliseconds } from "../charts/numbers.ts";
import { LaneBars } from "./bars.tsx";

/** Position of an event in its trace. */
export function MiniWaterfall({ trace, project, traceId }: { trace: Shown; project: string; traceId: string }) {
  return (
    <section aria-labelledby="trace">
      <div className="title-line">
        <h2 id="trace">Trace</h2>
        <Link to="/[project]/traces/[id]" params={{ project, id: traceId }}>
          All {grouped(trace.spans)} spans
        </Link>
      </div>
      <ol className="mini">
        {trace.rows.map(({ id, hasEvent, kind, depth, op, name, times, isNPlusOne, tookMs, bars, waits }) => (
          <li key={id} className={hasEvent ? "k-failed fails" : `k-${kind}`}>
            <span className="name" title={name} style={{ paddingLeft: Math.min(depth, 12) * 8 }}>
              <i className="dot" />
              {hasEvent && "▲ "}
              {times && `${grouped(times)} × `}
              {name} {op && <span className="second">{op}</span>} {isNPlusOne && <span className="chip">N+1</span>}
            </span>
            <span className="number second">{milliseconds(tookMs)}</span>
            <span className="lane">
              <LaneBars bars={bars} waits={waits} isMany={times !== undefined} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
