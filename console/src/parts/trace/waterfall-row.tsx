import { usePage } from "holdfast";
import type { CSSProperties } from "react";
import type { ShownRow } from "../../server/trace/show-trace.ts";
import { useAddress } from "../address.ts";
import { grouped, milliseconds } from "../charts/numbers.ts";
import { LaneBars } from "./bars.tsx";
import { inPlace } from "./in-place.ts";

interface RowProps {
  row: ShownRow;
  place: number;
  state: {
    /** With scripts, arrow keys move between rows, and Tab leaves the waterfall. */
    alive: boolean;
    isTabStop: boolean;
    isChosen: boolean;
    takesFocus: boolean;
  };
  eventPath: (id: string) => string;
}

export function Row({ row, place, state, eventPath }: RowProps) {
  const address = useAddress();
  const { search } = usePage();
  const { id, name, op, kind, fold, times, trouble, isOrphan, events } = row;
  const { alive, isTabStop, isChosen, takesFocus } = state;
  const isFailed = trouble !== undefined && trouble !== "cancelled";
  const [word = "", ...rest] = name.split(" ");
  return (
    <tr
      data-row=""
      data-place={place}
      aria-rowindex={place + 2}
      className={`k-${isFailed ? "failed" : kind}${isChosen ? " current" : ""}`}
      {...(alive && { "aria-level": row.depth + 1, "aria-expanded": fold === "none" ? undefined : fold === "open" })}
    >
      <th scope="row" style={{ "--depth": Math.min(row.depth, 20) } as CSSProperties}>
        <span className="names">
          <a
            href={address({ span: id, at: undefined })}
            {...inPlace}
            title={op ? `${name} (${op})` : name}
            tabIndex={alive && !isTabStop ? -1 : undefined}
            data-page-focus={takesFocus ? "" : undefined}
          >
            <i className="dot" />
            {/* Before the name, because the end of a long name is cut off. */}
            {trouble && (
              <span className={isFailed ? "trouble" : "second"}>
                {isFailed && "▲ "}
                {trouble}{" "}
              </span>
            )}
            {times && `${grouped(times)} × `}
            <b>{word}</b> {rest.join(" ")}
            {op && op !== word && <span className="second"> {op}</span>}
            {isOrphan && <span className="second"> (its parent never arrived)</span>}
          </a>
          {fold !== "none" && (
            <a
              className="fold"
              href={address(foldChange(row, search))}
              {...inPlace}
              tabIndex={alive ? -1 : undefined}
              aria-label={`${fold === "open" ? "Fold" : "Unfold"} ${name}`}
            >
              {fold === "open" ? "▾" : "▸"}
            </a>
          )}
          {row.isNPlusOne && <span className="chip">N+1</span>}
          {events?.map((event) => (
            <a key={event.id} className="pinned" href={eventPath(event.id)} title={event.title}>
              ▲ {event.title}
            </a>
          ))}
        </span>
      </th>
      <td className="number">{milliseconds(row.tookMs)}</td>
      <td className="number rare">{milliseconds(row.selfMs)}</td>
      <td className="lane">
        <LaneBars bars={row.bars} waits={row.waits} isMany={times !== undefined} />
      </td>
    </tr>
  );
}

/** At first, a repeat is folded and a span unfolded. The address names the rows that are not. */
function foldChange({ id, times, fold }: ShownRow, search: string) {
  const others = (new URLSearchParams(search).get("toggled") ?? "")
    .split(".")
    .filter((one) => one !== "" && one !== id);
  const isAdded = (fold === "folded") === (times !== undefined);
  // A chosen span would keep its repeat open.
  return {
    at: id,
    toggled: [...others, isAdded ? id : ""].filter(Boolean).join(".") || undefined,
    ...(times && { span: undefined }),
  };
}
