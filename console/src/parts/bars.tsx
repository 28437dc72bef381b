import { short } from "./numbers.ts";

interface BarsProps {
  values: readonly number[];
  /** What is counted, for those who cannot see the bars: `Events in the last day`. */
  label: string;
  width: number;
  height: number;
  /** Moments to mark, as shares of the width from 0 to 1. */
  marks?: readonly { at: number; name: string }[];
}

/** A bar for each number, drawn on the server. An empty place is a hairline, so that nothing and little differ. */
export function Bars({ values, label, width, height, marks = [] }: BarsProps) {
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  const bar = Math.max(1, step - (step > 6 ? 2 : 1));
  const total = values.reduce((sum, value) => sum + value, 0);
  const path = values
    .map((value, index) => {
      const tall = value === 0 ? 1 : Math.max(2, Math.round((value / most) * height));
      return `M${round(index * step)} ${height}v${-tall}h${round(bar)}v${tall}z`;
    })
    .join("");
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${short(total)}, at most ${short(most)} at once`}
    >
      <path d={path} />
      {marks.map(({ at, name }) => (
        <line key={name} x1={round(at * width)} x2={round(at * width)} y1={0} y2={height}>
          <title>{name}</title>
        </line>
      ))}
    </svg>
  );
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}
