import type { ShownChoice } from "../../server/trace/show-chosen.ts";
import { useAddress } from "../address.ts";
import { grouped } from "../charts/numbers.ts";
import { Pairs } from "../event/pairs.tsx";
import { inPlace } from "./in-place.ts";

/** The chosen span, or the chosen repeat. */
export function SpanPanel({ chosen }: { chosen: ShownChoice }) {
  const address = useAddress();
  const { id, name, kind, fromMs, toMs, trouble, repeat } = chosen;
  return (
    <aside aria-labelledby="span" className={`sticks k-${trouble === undefined ? kind : "failed"}`}>
      <div className="title-line">
        <h2 id="span" className="breaks">
          {repeat && `${grouped(repeat.times)} × `}
          {name}
        </h2>
        <a href={address({ span: undefined })} {...inPlace}>
          Close
        </a>
      </div>
      <p>
        <i className="dot" />
        {chosen.kindName}
        {trouble !== undefined && <span className="state regressed"> ▲ {trouble}</span>}
      </p>
      <Pairs pairs={chosen.facts} />
      {repeat && (
        <figure>
          <figcaption className="second">Time of each</figcaption>
          <svg
            className="each"
            viewBox={`0 0 ${repeat.heights.length} 1`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {repeat.heights.map((height, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: what is past does not change its order
              <rect key={place} x={place + 0.1} width="0.8" y={1 - height} height={height} />
            ))}
          </svg>
        </figure>
      )}
      <p className="row-of-links">
        {repeat && (
          <a className="button" href={address({ toggled: id, at: id })} {...inPlace}>
            Unfold all {grouped(repeat.times)}
          </a>
        )}
        {toMs > fromMs && (
          <a
            className="button"
            href={address({ range: `${Math.max(0, fromMs).toFixed(3)}-${toMs.toFixed(3)}` })}
            {...inPlace}
            data-key="+"
          >
            Fill the axis <kbd>+</kbd>
          </a>
        )}
      </p>
      <Pairs pairs={chosen.pairs} />
    </aside>
  );
}
