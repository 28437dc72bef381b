import { href } from "holdfast";
import { useEffect, useRef, useState } from "react";
import type { ShownPin } from "../../server/trace/show-pins.ts";
import type { ShownRow } from "../../server/trace/show-trace.ts";
import { useAlive } from "../alive.ts";
import { useRowWindow } from "./row-window.ts";
import { TraceMap } from "./trace-map.tsx";
import { Row } from "./waterfall-row.tsx";

/** Rows in the document. Without scripts, the others are on further pages. */
export const rowsAtFirst = 100;

interface WaterfallProps {
  project: string;
  rows: readonly ShownRow[];
  axis: AxisPart;
  wholeMs: number;
  map: Parameters<typeof TraceMap>[0]["pieces"];
  from: number;
  chosen: string | undefined;
  /** The row that gets the focus after a navigation. */
  at: string | undefined;
  pins: readonly ShownPin[];
}

/** Visible range of the trace, in milliseconds since its start. */
export interface AxisPart {
  fromMs: number;
  lastsMs: number;
  /** Times at its quarters. */
  labels: readonly string[];
  /** Start and width in per cent of the whole trace. */
  frame: readonly [left: number, width: number];
}

/** A row for each span, on one axis. Only rows near the visible ones exist, so that two thousand scroll like fifty. */
export function Waterfall({ project, rows, axis, wholeMs, map, from, chosen, at, pins }: WaterfallProps) {
  const alive = useAlive();
  const body = useRef<HTMLTableSectionElement>(null);
  const count = rows.length;
  const { first, end } = useRowWindow(body, count, { first: Math.min(from, count), end: from + rowsAtFirst });
  const start = Math.max(
    0,
    rows.findIndex(({ id }) => id === (at ?? chosen)),
  );
  const [focused, setFocused] = useState<number>();
  const stop = Math.min(Math.max(focused ?? start, first), end - 1);
  const section = useRef<HTMLElement>(null);
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  }, [rows]);
  useEffect(() => {
    void import("./waterfall-hands.ts").then(({ followHands }) => {
      if (section.current) followHands(section.current, () => latest.current);
    });
  }, []);
  return (
    <section
      ref={section}
      className="fall"
      aria-label="Waterfall"
      data-from={axis.fromMs}
      data-lasts={axis.lastsMs}
      data-whole={wholeMs}
    >
      <TraceMap pieces={map} frame={axis.frame} />
      <table className="waterfall" aria-rowcount={count + 1} role={alive ? "treegrid" : undefined} aria-label="Spans">
        <thead>
          <tr>
            <th scope="col">Span</th>
            <th scope="col" className="number">
              Duration
            </th>
            <th scope="col" className="number rare">
              Self time
            </th>
            <th scope="col" className="lane">
              <Axis axis={axis} pins={pins} />
            </th>
          </tr>
        </thead>
        <tbody
          ref={body}
          onFocus={(event) => setFocused(Number(event.target.closest<HTMLElement>("[data-place]")?.dataset.place))}
        >
          <Gap rows={first} />
          {rows.slice(first, end).map((row, index) => (
            <Row
              key={row.id}
              row={row}
              place={first + index}
              state={{
                alive,
                isTabStop: first + index === stop,
                isChosen: row.id === chosen,
                takesFocus: first + index === start && (at ?? chosen) !== undefined,
              }}
              eventPath={(id) => href("/[project]/events/[id]", { project, id })}
            />
          ))}
          <Gap rows={count - end} />
        </tbody>
      </table>
    </section>
  );
}

function Axis({ axis: { labels }, pins }: Pick<WaterfallProps, "axis" | "pins">) {
  return (
    <span className="axis">
      {labels.map((label, quarter) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: quarters keep their order, and short traces have equal labels
        <span key={quarter} style={{ left: `${quarter * 25}%` }}>
          {label}
        </span>
      ))}
      {pins.map(({ left, kind, title, leads }, index) => {
        const style = { left: `${left}%` };
        return leads === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: what is past does not change its order
          <i key={index} className={`pin ${kind}`} style={style} title={title} aria-hidden="true" />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <a key={index} className={`pin ${kind}`} style={style} title={title} href={leads}>
            <span className="unseen">{title}</span>
          </a>
        );
      })}
    </span>
  );
}

/** Space of rows that are not rendered. */
function Gap({ rows }: { rows: number }) {
  return rows > 0 ? (
    <tr className="gap">
      {/* Only columns of every width, because the cell would create hidden ones again. */}
      <td colSpan={2} style={{ height: `calc(${rows} * var(--span-row))` }} />
    </tr>
  ) : null;
}
