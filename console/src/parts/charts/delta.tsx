interface DeltaProps {
  /** Without one of both, there is no change. */
  now: number | undefined;
  usual: number | undefined;
  better?: "less" | "more";
}

/**
 * Change against what is usual: `↑ 7.2×` from twice on, `↑ 34 %` below. Red if it got worse, green if better.
 * Nothing for less than 5 %, which is noise.
 */
export function Delta({ now, usual, better }: DeltaProps) {
  if (now === undefined || usual === undefined || usual === 0) return null;
  const ratio = now / usual;
  if (Math.abs(ratio - 1) < 0.05) return null;
  const isMore = ratio > 1;
  const kind = better === undefined ? "plain" : isMore === (better === "more") ? "good" : "bad";
  const size = ratio >= 2 ? `${ratio.toFixed(1)}×` : `${Math.round(Math.abs(ratio - 1) * 100)} %`;
  return (
    <span className={`delta ${kind}`}>
      {isMore ? "↑" : "↓"} {size}
    </span>
  );
}
