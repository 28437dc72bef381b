export interface Line {
  name: string;
  color: string;
  points: readonly (readonly [x: number, y: number])[];
}

export interface Curve {
  title: string;
  /** Units of both axes. */
  x: string;
  y: string;
  lines: readonly Line[];
}

const [width, height, left, bottom, top, right] = [720, 420, 70, 50, 50, 20];

/** Draws lines over two logarithmic axes as SVG, readable on light and dark pages. */
export function drawCurve({ title, x, y, lines }: Curve): string {
  const points = lines.flatMap((line) => line.points);
  const across = axis(
    points.map(([at]) => at),
    left,
    width - right,
  );
  const up = axis(
    points.map(([, at]) => at),
    height - bottom,
    top,
  );
  const parts = [
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(left, 24, title, 'font-size="16" font-weight="600"'),
    ...across.ticks.flatMap((tick) => [
      rule(across.place(tick), top, across.place(tick), height - bottom),
      text(across.place(tick), height - bottom + 18, short(tick), 'text-anchor="middle"'),
    ]),
    ...up.ticks.flatMap((tick) => [
      rule(left, up.place(tick), width - right, up.place(tick)),
      text(left - 8, up.place(tick) + 4, short(tick), 'text-anchor="end"'),
    ]),
    text((left + width) / 2, height - 10, x, 'text-anchor="middle"'),
    text(left - 8, top - 12, y, 'text-anchor="end"'),
    ...lines.flatMap(({ name, color, points }, at) => [
      `<polyline fill="none" stroke="${color}" stroke-width="2" points="${points.map(([px, py]) => `${round(across.place(px))},${round(up.place(py))}`).join(" ")}"/>`,
      ...points.map(
        ([px, py]) => `<circle r="3" fill="${color}" cx="${round(across.place(px))}" cy="${round(up.place(py))}"/>`,
      ),
      text(left + 12, top + 16 + at * 18, name, `fill="${color}" font-weight="600"`),
    ]),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img" aria-label="${title}">\n${parts.join("\n")}\n</svg>\n`;
}

interface Axis {
  ticks: number[];
  place(value: number): number;
}

/** Whole powers of ten around the values, between two pixels. */
function axis(values: readonly number[], from: number, to: number): Axis {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    ticks: Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at)),
    place: (value) => from + ((Math.log10(value) - first) / (last - first)) * (to - from),
  };
}

const round = (value: number): string => value.toFixed(1);

function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000} M`;
  return value >= 1_000 ? `${value / 1_000} k` : String(value);
}

function rule(x1: number, y1: number, x2: number, y2: number): string {
  return `<line stroke="#ddd" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
}

function text(x: number, y: number, words: string, more: string): string {
  return `<text x="${round(x)}" y="${round(y)}" ${more}>${words}</text>`;
}
