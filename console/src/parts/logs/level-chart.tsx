import type { LevelDrawing } from "../../server/logs/draw-levels.ts";
import { many } from "../charts/numbers.ts";
import { useExact } from "../time/time-ago.tsx";

/** Lines by time: grey, warnings, errors. Above each bar is a link to its time. */
export function LevelChart({ drawing, hrefOf }: { drawing: LevelDrawing; hrefOf: (from: number) => string }) {
  const exact = useExact();
  const { bars, barMs } = drawing;
  const clock = (at: number): string => (barMs >= 86_400_000 ? exact(at).slice(5, 10) : exact(at).slice(11, 16));
  const first = bars[0]?.at ?? 0;
  return (
    <figure className="day-chart low">
      <div className="field">
        <svg role="img" aria-label={drawing.summary} viewBox="0 0 1000 100" preserveAspectRatio="none">
          <path className="usual" d={drawing.usual} />
          <path className="warned" d={drawing.warned} />
          <path className="above" d={drawing.failed} />
        </svg>
        <div className="slots">
          {bars.map(({ at, n, failed }) =>
            n === 0 ? (
              <i key={at} />
            ) : (
              <a key={at} href={hrefOf(at)}>
                <span>
                  {clock(at)}, {many(n, "line")}
                  {failed > 0 && `, ${many(failed, "error")}`}
                </span>
              </a>
            ),
          )}
        </div>
      </div>
      <figcaption>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{clock(first + Math.floor(bars.length * share) * barMs)}</span>
        ))}
      </figcaption>
    </figure>
  );
}
