import { Link } from "holdfast";
import { percent } from "./numbers.ts";

interface Distribution {
  key: string;
  values: readonly { value: string; n: number; share: number }[];
}

// The rest is a click away.
const shown = 8;

/** Distribution of the events over routes, browsers, releases. Each value links to the issues that share it. */
export function Distributions({ distributions, project }: { distributions: readonly Distribution[]; project: string }) {
  if (distributions.length === 0) return null;
  return (
    <section aria-labelledby="spread">
      <h2 id="spread">Spread</h2>
      {distributions.slice(0, shown).map(({ key, values }) => (
        <div key={key} className="spread">
          <h3>{key}</h3>
          <ul className="plain">
            {values.slice(0, 4).map(({ value, share }) => (
              <li key={value}>
                <meter min={0} max={1} value={share} aria-label={`${value}: ${percent(share)}`} />
                <Link
                  to="/[project]/issues"
                  params={{ project }}
                  search={{ q: `${key}:${JSON.stringify(value)}`, tab: "all" }}
                >
                  {value}
                </Link>
                <span className="second">{percent(share)}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
