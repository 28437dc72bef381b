import { type KeyboardEvent, useRef } from "react";
import type { PackedLines } from "../../server/trace-lines.ts";
import { useAddress } from "../address.ts";
import { useRowWindow } from "../issue/row-window.ts";
import { milliseconds, styleShare } from "./numbers.ts";

/** As in the style sheet. */
const rowPx = 28;
/** Rows in the document. Without scripts, the others are on further pages. */
export const rowsAtFirst = 100;

interface WaterfallProps {
  lines: PackedLines;
  axis: AxisPart;
  from: number;
  chosen: string | undefined;
  pins: readonly { afterMs: number; kind: "error" | "log"; text: string; leads?: string }[];
}

/** Visible range of the trace, in milliseconds since its start. */
interface AxisPart {
  fromMs: number;
  lastsMs: number;
}

/** A row for each span, on one axis. Only rows near the visible ones exist, so that five thousand scroll like fifty. */
export function Waterfall({ lines, axis, from, chosen, pins }: WaterfallProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const count = lines.ids.length;
  const { first, end } = useRowWindow(body, count, rowPx, { first: Math.min(from, count), end: from + rowsAtFirst });
  const places = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  return (
    <table className="waterfall" aria-rowcount={count + 1}>
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
      <tbody ref={body} onKeyDown={(event) => walk(event, lines)}>
        <Gap rows={first} />
        {places.map((place) => (
          <Line key={lines.ids[place]} lines={lines} place={place} axis={axis} chosen={chosen} />
        ))}
        <Gap rows={count - end} />
      </tbody>
    </table>
  );
}

function Axis({ axis: { fromMs, lastsMs }, pins }: Pick<WaterfallProps, "axis" | "pins">) {
  const seen = pins.filter(({ afterMs }) => fromMs === 0 || (afterMs >= fromMs && afterMs <= fromMs + lastsMs));
  return (
    <span className="axis">
      <span>{fromMs === 0 ? "0" : milliseconds(fromMs)}</span>
      <span>{milliseconds(fromMs + lastsMs / 2)}</span>
      <span>{milliseconds(fromMs + lastsMs)}</span>
      {seen.map(({ afterMs, kind, text, leads }, index) => {
        const style = { left: styleShare((afterMs - fromMs) / (lastsMs || 1)) };
        const title = `${text}, after ${milliseconds(afterMs)}`;
        return leads === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: what is past does not change its order
          <span key={index} className={`pin ${kind}`} style={style} title={title} aria-hidden="true" />
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
      {/* Without the column that narrow pages hide, because the cell would create it again. */}
      <td colSpan={3} style={{ height: rows * rowPx }} />
    </tr>
  ) : null;
}

interface LineProps {
  lines: PackedLines;
  place: number;
  axis: AxisPart;
  chosen: string | undefined;
}

function Line({ lines, place, axis, chosen }: LineProps) {
  const address = useAddress();
  const { ids, texts, depths, starts, tooks, selfs, troubles, marks } = lines;
  const [id = "", text = "", mark = 0] = [ids[place], texts[place], marks[place]];
  const [op, name] = text.split("\t");
  const bar = barOf((starts[place] ?? 0) / 1_000, (tooks[place] ?? 0) / 1_000, axis);
  const isCritical = (mark & 1) !== 0;
  return (
    <tr data-row="" data-place={place} aria-rowindex={place + 2} className={id === chosen ? "current" : undefined}>
      <th scope="row" style={{ paddingLeft: 8 + Math.min(depths[place] ?? 0, 20) * 12 }}>
        <a href={address({ span: id })} data-scroll="keep" data-replace="" data-prefetch="none" title={name}>
          {/* Before the name, because the end of a long name is cut off. */}
          {troubles[place] && <span className="state regressed">▲ {troubles[place]} </span>}
          {op && <span className="second">{op} </span>}
          {name}
          {(mark & 2) !== 0 && <span className="second"> (its parent never arrived)</span>}
        </a>
      </th>
      <td className="number">{milliseconds((tooks[place] ?? 0) / 1_000)}</td>
      <td className="number rare">{milliseconds((selfs[place] ?? 0) / 1_000)}</td>
      <td className="lane">
        {bar && (
          <span
            className={isCritical ? "bar critical" : "bar"}
            style={{ marginLeft: styleShare(bar.from), width: styleShare(bar.share) }}
            title={isCritical ? "On the critical path" : undefined}
          />
        )}
      </td>
    </tr>
  );
}

/** Shares of the axis. Undefined for a span outside of the visible range. */
function barOf(
  startMs: number,
  tookMs: number,
  { fromMs, lastsMs }: AxisPart,
): { from: number; share: number } | undefined {
  const whole = lastsMs || 1;
  const [begins, ends] = [(startMs - fromMs) / whole, (startMs + tookMs - fromMs) / whole];
  if (ends < 0 || begins > 1) return undefined;
  const from = Math.max(0, begins);
  return { from, share: Math.min(1, ends) - from };
}

/** Up and down move by row, left to the parent, right to the first child, Home and End to the ends. */
function walk(event: KeyboardEvent<HTMLElement>, { depths }: PackedLines): void {
  const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-place]") : null;
  if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
  const at = Number(row.dataset.place);
  const depth = depths[at] ?? 0;
  const to = placeAfter(event.key, at, depth, depths);
  if (to === undefined) return;
  event.preventDefault();
  focusPlace(event.currentTarget, Math.min(depths.length - 1, Math.max(0, to)));
}

function placeAfter(key: string, at: number, depth: number, depths: readonly number[]): number | undefined {
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "ArrowLeft":
      return depths.findLastIndex((one, place) => place < at && one < depth);
    case "ArrowRight":
      return (depths[at + 1] ?? 0) > depth ? at + 1 : at;
    case "Home":
      return 0;
    case "End":
      return depths.length - 1;
    default:
      return undefined;
  }
}

/** The row may not be rendered yet: scrolls to its place, and focuses the row that appears. */
function focusPlace(body: HTMLElement, place: number): void {
  const find = (): HTMLElement | null => body.querySelector<HTMLElement>(`[data-place="${place}"] a`);
  const link = find();
  if (link) return link.focus();
  window.scrollTo({ top: window.scrollY + body.getBoundingClientRect().top + place * rowPx - window.innerHeight / 2 });
  let tries = 0;
  const again = (): void => {
    const appeared = find();
    if (appeared) appeared.focus({ preventScroll: true });
    else if (tries++ < 30) requestAnimationFrame(again);
  };
  requestAnimationFrame(again);
}
