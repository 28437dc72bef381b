import { short } from "./numbers.ts";

export interface Mark {
  at: number;
  name: string;
}

export interface BarsProps {
  values: readonly number[];
  /** Text alternative of the bars: `Events in the last day`. */
  label: string;
  height: number;
  /** Marked moments, as shares of the width from 0 to 1. */
  marks?: readonly Mark[];
}

/** Width of a slot, and of its bar. The picture fills its frame. */
const placeWide = 5;
const barWide = 4;

/**
 * A bar for each number, drawn on the server as one stroke each. A hairline below them distinguishes nothing from
 * little.
 */
export function Bars({ values, label, height, marks = [] }: BarsProps) {
  const most = Math.max(1, ...values);
  const width = placeWide * Math.max(1, values.length);
  const total = values.reduce((sum, value) => sum + value, 0);
  const strokes = values.map((value, place) => {
    const tall = value === 0 ? 0 : Math.max(2, Math.round((value / most) * height));
    return tall === 0 ? "" : `M${place * placeWide + barWide / 2} ${height}v-${tall}`;
  });
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${short(total)}, at most ${short(most)} at once`}
    >
      <path d={strokes.join("")} />
      {marks.map(({ at, name }) => (
        <line key={name} x1={Math.round(at * width)} x2={Math.round(at * width)} y1={0} y2={height}>
          <title>{name}</title>
        </line>
      ))}
    </svg>
  );
}
