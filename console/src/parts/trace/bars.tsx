/** Bars of a row, and below them the times for which the trace waited. Positions are in per cent of the axis. */
export function LaneBars({
  bars,
  waits,
  isMany,
}: {
  bars: readonly number[];
  waits: readonly number[];
  isMany: boolean;
}) {
  return (
    <span className="track">
      {pieces(bars, isMany ? "bar many" : "bar")}
      {pieces(waits, "wait")}
    </span>
  );
}

function pieces(places: readonly number[], className: string) {
  return places.map(
    (left, index) =>
      index % 2 === 0 && (
        <i key={left} className={className} style={{ left: `${left}%`, width: `${places[index + 1]}%` }} />
      ),
  );
}
