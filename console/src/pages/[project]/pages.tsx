import { Link } from "holdfast";
import { useAddress } from "../../parts/address.ts";
import { milliseconds, short } from "../../parts/charts/numbers.ts";
import { Rating } from "../../parts/charts/rating.tsx";
import { DayRange } from "../../parts/time/day-range.tsx";
import { exactTime } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/pages">;
type Route = Props["data"]["routes"][number];

/** Figures of each route, ordered by the time that visitors spent on it, because optimising gains most there. */
export default function Pages({ data, params: { project } }: Props) {
  const address = useAddress();
  return (
    <main>
      <title>Pages · Holdfast</title>
      <meta name="description" content="How long each page took, its vitals, prefetches and full loads." />
      <div className="title-line">
        <h1>Pages</h1>
        <DayRange days={data.days} />
      </div>
      {data.examples && (
        <section aria-labelledby="examples" className="notice">
          <div className="title-line">
            <h2 id="examples">
              Traces of <code>{data.examples.route}</code>
              {data.examples.around && ` around ${milliseconds(data.examples.around)}`}
            </h2>
            <a href={address({ route: undefined, around: undefined })}>Close</a>
          </div>
          {data.examples.traces.length === 0 && <p>None was sampled in this time.</p>}
          <ul className="plain">
            {data.examples.traces.map(({ traceId, spanId, kind, at, durationMs, status }) => (
              <li key={spanId}>
                <Link to="/[project]/traces/[id]" params={{ project, id: traceId }}>
                  {exactTime(at)}
                </Link>{" "}
                {kind}, {milliseconds(durationMs)}{" "}
                {status !== "ok" && <span className="state regressed">{status}</span>}
              </li>
            ))}
          </ul>
        </section>
      )}
      {data.breaches.length > 0 && (
        <section aria-labelledby="breaches" className="notice breaches">
          <h2 id="breaches">Over budget</h2>
          <ul className="plain">
            {data.breaches.map(({ route, measure, p75, limit }) => (
              <li key={`${route} ${measure}`}>
                <code>{route}</code>: {measure} is {writeAs(measure)(p75)}, {writeAs(measure)(limit)} at most
              </li>
            ))}
          </ul>
        </section>
      )}
      {data.routes.length === 0 ? (
        <div className="empty">
          <h2>No page was measured</h2>
          <p>
            Measurements come from visitors' browsers and from traced requests; nobody was here in this time, or none
            was sampled.
          </p>
        </div>
      ) : (
        <div className="wide">
          <p className="second">
            Times and vitals as three quarters of the visits stay below (p75); the small ones are p50 and p95. A number
            opens traces, a heading sorts.
          </p>
          <table className="measures">
            <thead>
              <tr>
                <Head by="" sort={data.sort}>
                  Route
                </Head>
                {columns.map(([by, name]) => (
                  <Head key={by} by={by} sort={data.sort}>
                    {name}
                  </Head>
                ))}
                <th scope="col">Navigations</th>
                <th scope="col">Prefetches</th>
                <th scope="col">Full loads</th>
              </tr>
            </thead>
            <tbody>
              {data.routes.map((route) => (
                <RouteRow key={route.route} route={route} project={project} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </main>
  );
}

const columns = [
  ["views", "Views"],
  ["errors", "Errors"],
  ["load", "Load"],
  ["navigation", "Navigation"],
  ["server", "Server"],
  ["lcp", "LCP"],
  ["inp", "INP"],
  ["cls", "CLS"],
  ["fcp", "FCP"],
  ["ttfb", "TTFB"],
] as const;

/** Sorts by its column. The first one restores the default order. */
function Head({ by, sort, children }: { by: string; sort: string; children: string }) {
  const address = useAddress();
  return (
    <th
      scope="col"
      className={by === "" ? undefined : "number"}
      aria-sort={by === sort && by ? "descending" : undefined}
    >
      <a
        href={address({ sort: by || undefined })}
        title={by === "" ? "Where visitors spent most time first" : undefined}
      >
        {children}
      </a>
    </th>
  );
}

function RouteRow({ route, project }: { route: Route; project: string }) {
  const { budget } = route;
  return (
    <tr data-row="">
      <th scope="row">
        <Link to="/[project]/issues" params={{ project }} search={{ q: `route:${JSON.stringify(route.route)}` }}>
          <code>{route.route}</code>
        </Link>
      </th>
      <td className="number">{short(route.views)}</td>
      <td className="number">{short(route.errors)}</td>
      <Times of={route.load} route={route.route} limit={budget?.loadMs} />
      <Times of={route.navigation} route={route.route} limit={budget?.navigationMs} />
      <td className="number">
        {route.request ? milliseconds(route.request.p75) : "–"}
        <Limit p75={route.request?.p75} limit={budget?.serverMs} write={milliseconds} />
      </td>
      <VitalCell vital={route.vitals.lcp} write={milliseconds} limit={budget?.lcpMs} />
      <VitalCell vital={route.vitals.inp} write={milliseconds} limit={budget?.inpMs} />
      <VitalCell vital={route.vitals.cls} write={share} limit={budget?.cls} />
      <VitalCell vital={route.vitals.fcp} write={milliseconds} />
      <VitalCell vital={route.vitals.ttfb} write={milliseconds} />
      <td className="counts">{countsOf(route.navigations, wordsOfNavigation)}</td>
      <td className="counts">{countsOf(route.prefetches)}</td>
      <td className="counts">{countsOf(route.fullLoads)}</td>
    </tr>
  );
}

/** p75, and below it p50 and p95. Each links to traces of about that duration. */
function Times({ of, route, limit }: { of: Route["load"]; route: string; limit: number | undefined }) {
  const address = useAddress();
  if (!of) return <td className="number">–</td>;
  const examples = (ms: number): string => address({ route, around: String(Math.round(ms)) });
  return (
    <td className="number">
      <a href={examples(of.p75)}>{milliseconds(of.p75)}</a>
      <span className="limit">
        <a href={examples(of.p50)} aria-label={`p50: ${milliseconds(of.p50)}`}>
          {milliseconds(of.p50)}
        </a>{" "}
        –{" "}
        <a href={examples(of.p95)} aria-label={`p95: ${milliseconds(of.p95)}`}>
          {milliseconds(of.p95)}
        </a>
      </span>
      <Limit p75={of.p75} limit={limit} write={milliseconds} />
    </td>
  );
}

/** The declared budget for the 75th percentile, if the page has one. */
function Limit({ p75, limit, write }: { p75: number | undefined; limit: number | undefined; write: Write }) {
  if (limit === undefined || p75 === undefined) return null;
  return (
    <span className={p75 > limit ? "limit over" : "limit"}>{`${p75 > limit ? "✗ over" : "of"} ${write(limit)}`}</span>
  );
}

type Write = (n: number) => string;

const share: Write = (n) => n.toFixed(3);

function writeAs(measure: string): Write {
  return measure === "CLS" ? share : milliseconds;
}

interface VitalProps {
  vital: Route["vitals"]["lcp"];
  write: Write;
  /** Budget of the page, if it can declare one. */
  limit?: number | undefined;
}

function VitalCell({ vital, write, limit }: VitalProps) {
  if (!vital) return <td className="number">–</td>;
  return (
    <td className="number">
      {write(vital.p75)} <Rating of={vital.rating} />
      <Limit p75={vital.p75} limit={limit} write={write} />
    </td>
  );
}

/** Readable names of the ways in which a navigation was committed. */
const wordsOfNavigation: Readonly<Record<string, string>> = {
  committed: "shown",
  "committed push": "by link",
  "committed replace": "replaced",
  "committed traverse": "back or forward",
  "committed reload": "reloaded",
  "committed submit": "by form",
};

function countsOf(counts: Readonly<Record<string, number>>, words: Readonly<Record<string, string>> = {}): string {
  return (
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      // A number stays on the line of its word.
      .map(([label, n]) => `${words[label] ?? label}\u00a0${short(n)}`)
      .join(", ") || "–"
  );
}
