import { usePage } from "holdfast";
import type { ShownLine } from "../../server/logs/show-lines.ts";
import { useAddress } from "../address.ts";
import { exactTime, useExact } from "../time/time-ago.tsx";

const marked: Partial<Record<ShownLine["level"], string>> = { error: "fails", fatal: "fails", warn: "warns" };

/** One line, which opens its attributes. Each of them leads to the lines that have it too. */
export function LogLine({ line: { at, level, body, attributes, links } }: { line: ShownLine }) {
  const exact = useExact();
  const address = useAddress();
  const typed = new URLSearchParams(usePage().search).get("q") ?? "";
  return (
    <details className={marked[level]}>
      <summary>
        <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
          {exact(at).slice(11, 19)}
        </time>
        <span className="kind">{level}</span>
        <span className="breaks">{body}</span>
      </summary>
      {links.length > 0 && (
        <p className="row-of-links">
          {links.map(({ name, to }) => (
            <a key={name} href={to}>
              {name}
            </a>
          ))}
        </p>
      )}
      <dl className="pairs">
        {attributes.map(({ name, value, term }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {term === undefined ? (
                value
              ) : (
                <a href={address({ q: `${typed} ${term}`.trim(), after: undefined })} title="Only lines with it">
                  {value}
                </a>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
