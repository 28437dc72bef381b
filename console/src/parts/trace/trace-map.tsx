import type { AxisPart } from "./waterfall.tsx";

interface TraceMapProps {
  pieces: readonly { lane: number; from: number; width: number; kind: string }[];
  frame: AxisPart["frame"];
}

/** The whole trace, small, with a frame around what the axis shows. A pointer draws another frame. */
export function TraceMap({ pieces, frame: [left, width] }: TraceMapProps) {
  return (
    <div className="map">
      {/* As wide and high as the columns and lanes of the server. */}
      <svg viewBox="0 0 160 6" preserveAspectRatio="none" role="img" aria-label="The whole trace, small">
        {pieces.map(({ lane, from, width: columns, kind }) => (
          <rect key={`${lane} ${from}`} className={`k-${kind}`} x={from} y={lane + 0.15} width={columns} height="0.7" />
        ))}
      </svg>
      <i className="frame-of-axis" style={{ left: `${left}%`, width: `${width}%` }} />
    </div>
  );
}
