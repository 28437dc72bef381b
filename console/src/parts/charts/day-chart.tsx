import type { DayDrawing, ReleaseMark } from "../../server/draw-day.ts";
import { useExact } from "../time/time-ago.tsx";
import { grouped, many } from "./numbers.ts";

interface DayChartProps {
  drawing: DayDrawing;
  marks: readonly ReleaseMark[];
  /** Address of the errors in the hour of a bar. */
  hrefOf: (at: number) => string;
}

/**
 * Bars of a day. Grey is what is usual, red what is above it. Texts have positions in per cent and keep their shape at
 * every width. Above each bar is a link, so that it is opened and read by pointer and keyboard, also without a script.
 */
export function DayChart({ drawing: { from, stepMs, bars, ...drawn }, marks, hrefOf }: DayChartProps) {
  const exact = useExact();
  const clock = (place: number): string => exact(from + place * stepMs).slice(11, 16);
  return (
    <figure className="day-chart">
      <div className="field">
        <svg role="img" aria-label={drawn.summary}>
          {drawn.grid.map(({ y, value }) => (
            <g key={y}>
              <line className="grid" x1="0" x2="100%" y1={`${y}%`} y2={`${y}%`} />
              <text x="0" y={`${y}%`} dy="-4">
                {grouped(value)}
              </text>
            </g>
          ))}
          <svg viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%" height="100%" aria-hidden="true">
            <path className="band" d={drawn.band} />
            <path className="usual" d={drawn.usual} />
            <path className="above" d={drawn.above} />
          </svg>
          {marks.map((mark) => (
            <Release key={mark.name} {...mark} />
          ))}
        </svg>
        <div className="slots">
          {bars.map(([errors, usual], place) => {
            const at = from + place * stepMs;
            return errors === 0 ? (
              <i key={at} />
            ) : (
              <a key={at} href={hrefOf(at)}>
                <span>
                  {clock(place)}, {many(errors, "error")}
                  {usual !== undefined && `, usually ${usual}`}; opens the hour
                </span>
              </a>
            );
          })}
        </div>
      </div>
      <figcaption>
        {[0, 0.25, 0.5, 0.75].map((share) => (
          <span key={share}>{clock(Math.floor(bars.length * share))}</span>
        ))}
        <span>now{exact(from).slice(19).replace(" ", ", ")}</span>
      </figcaption>
    </figure>
  );
}

function Release({ share, name, isCause, anchor }: ReleaseMark) {
  const x = `${share * 100}%`;
  return (
    <g className={isCause ? "release cause" : "release"}>
      <line x1={x} x2={x} y1="16" y2="100%" />
      <title>{name}</title>
      {anchor && (
        <text x={x} y="11" textAnchor={anchor}>
          {name}
        </text>
      )}
    </g>
  );
}
