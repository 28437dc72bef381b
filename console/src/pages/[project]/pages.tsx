import { href, Link } from "holdfast";
import { useAddress } from "../../parts/address.ts";
import { milliseconds, short } from "../../parts/charts/numbers.ts";
import { Rating } from "../../parts/charts/rating.tsx";
import { vitalWords } from "../../parts/charts/vital-words.ts";
import { IssueCount } from "../../parts/release/release-figures.tsx";
import { DayRange } from "../../parts/time/day-range.tsx";

type Props = PageProps<"/[project]/pages">;
type Route = Props["data"]["routes"][number];

/** Figures of each route, ordered by the time that visitors spent on it, because optimising gains most there. */
export default function Pages({ data, params: { project } }: Props) {
  return (
    <main>
      <title>Pages · Holdfast</title>
      <meta name="description" content="How long each page took, its vitals, prefetches and full loads." />
      <div className="title-line">
        <h1>Pages</h1>
        <DayRange days={data.days} />
      </div>
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
            Times and vitals as three quarters of the visits stay below (p75); the small ones are p50 and p95. A route
            opens its trend, a number its traces, a heading sorts. LCP: until the main content is shown; INP: until the
            page responds to input; CLS: how far the layout shifts; FCP: until anything is shown; TTFB: until the first
            byte has come.
            {data.environment !== undefined && " Measures are counted for all environments together."}
          </p>
          <table className="measures cards in-three">
            <thead>
              <tr>
                <Head by="" sort={data.sort} title="Where visitors spent most time first">
                  Route
                </Head>
                {columns
                  .filter(([by]) => by !== "cache" || data.hasCache)
                  .map(([by, name, title]) => (
                    <Head key={by} by={by} sort={data.sort} title={title}>
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
                <RouteRow key={route.route} route={route} days={data.days} project={project} hasCache={data.hasCache} />
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
  ["cache", "Cache", "Share of requests that the server's cache answered"],
  ["lcp", "LCP", vitalWords.lcp],
  ["inp", "INP", vitalWords.inp],
  ["cls", "CLS", vitalWords.cls],
  ["fcp", "FCP", vitalWords.fcp],
  ["ttfb", "TTFB", vitalWords.ttfb],
] as const;

interface HeadProps {
  by: string;
  sort: string;
  title: string | undefined;
  children: string;
}

/** Sorts by its column. The first one restores the default order. */
function Head({ by, sort, title, children }: HeadProps) {
  const address = useAddress();
  return (
    <th
      scope="col"
      className={by === "" ? undefined : "number"}
      aria-sort={by === sort && by ? "descending" : undefined}
    >
      <a href={address({ sort: by || undefined })} title={title}>
        {children}
      </a>
    </th>
  );
}

interface RowProps {
  route: Route;
  days: number;
  project: string;
  /** Whether any page is cached. */
  hasCache: boolean;
}

/** Each number leads to the traces behind it, in the same time. */
function RouteRow({ route, days, project, hasCache }: RowProps) {
  const { budget, vitals } = route;
  const traces: TracesOf = (measure, around) =>
    `${href("/[project]/pages/route", { project }, { route: route.route, days, measure, around })}#examples`;
  return (
    <tr data-row="">
      <th scope="row">
        <Link to="/[project]/pages/route" params={{ project }} search={{ route: route.route }}>
          <code>{route.route}</code>
        </Link>
        {route.finding && (
          <Link
            className="finding"
            to="/[project]/spans"
            params={{ project }}
            search={{ q: `route:${JSON.stringify(route.route)}`, days }}
            title={route.finding.statement}
          >
            {route.finding.name}: {route.finding.cost}
          </Link>
        )}
      </th>
      <td className="number" data-label="Views">
        <a href={traces("views")}>{short(route.views)}</a>
      </td>
      <td className="number" data-label="Errors">
        <IssueCount project={project} n={route.errors} q={`route:${JSON.stringify(route.route)}`} />
      </td>
      <Times name="Load" measure="pageload" of={route.load} traces={traces} limit={budget?.loadMs} />
      <Times
        name="Navigation"
        measure="navigation"
        of={route.navigation}
        traces={traces}
        limit={budget?.navigationMs}
      />
      <Times name="Server" measure="request" of={route.request} traces={traces} limit={budget?.serverMs} />
      {hasCache && <CacheCell cache={route.cache} route={route.route} project={project} />}
      <VitalCell name="lcp" vital={vitals.lcp} traces={traces} limit={budget?.lcpMs} />
      <VitalCell name="inp" vital={vitals.inp} traces={traces} limit={budget?.inpMs} />
      <VitalCell name="cls" vital={vitals.cls} traces={traces} limit={budget?.cls} />
      <VitalCell name="fcp" vital={vitals.fcp} traces={traces} />
      <VitalCell name="ttfb" vital={vitals.ttfb} traces={traces} />
      <td className="counts">{route.navigations}</td>
      <td className="counts">{route.prefetches}</td>
      <td className="counts">{route.fullLoads}</td>
    </tr>
  );
}

type TracesOf = (measure: string, around?: number) => string;

interface TimesProps {
  /** Label of the cell on a phone. */
  name: string;
  measure: string;
  of: Route["load"];
  traces: TracesOf;
  limit: number | undefined;
}

/** p75, and below it p50 and p95. Each links to traces of about that duration. */
function Times({ name, measure, of, traces: tracesOf, limit }: TimesProps) {
  if (!of) return <NoFigure name={name} />;
  const traces = (ms: number): string => tracesOf(measure, Math.round(ms));
  return (
    <td className="number" data-label={name}>
      <a href={traces(of.p75)}>{milliseconds(of.p75)}</a>
      <span className="limit">
        <a href={traces(of.p50)} aria-label={`p50: ${milliseconds(of.p50)}`}>
          {milliseconds(of.p50)}
        </a>{" "}
        –{" "}
        <a href={traces(of.p95)} aria-label={`p95: ${milliseconds(of.p95)}`}>
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
  name: keyof Route["vitals"];
  vital: Route["vitals"]["lcp"];
  traces: TracesOf;
  /** Budget of the page, if it can declare one. */
  limit?: number | undefined;
}

function VitalCell({ name, vital, traces, limit }: VitalProps) {
  const label = name.toUpperCase();
  if (!vital) return <NoFigure name={label} />;
  const write = writeAs(label);
  return (
    <td className="number" data-label={label}>
      <a href={traces(name)}>{write(vital.p75)}</a> <Rating of={vital.rating} />
      <Limit p75={vital.p75} limit={limit} write={write} />
    </td>
  );
}

interface CacheProps {
  cache: Route["cache"];
  route: string;
  project: string;
}

/** The share that the cache answered, what that saved, and why it did not answer the rest. */
function CacheCell({ cache, route, project }: CacheProps) {
  if (!cache) return <NoFigure name="Cache" />;
  return (
    <td className="number cache" data-label="Cache">
      {cache.hitRate}
      {cache.saved && <span className="limit">{cache.saved}</span>}
      {cache.isFailing && (
        <Link to="/[project]/issues" params={{ project }} search={{ q: `route:${JSON.stringify(route)}` }}>
          <span className="limit over">✗ not renewed</span>
        </Link>
      )}
      {cache.bypasses && <span className="limit reasons">not stored: {cache.bypasses}</span>}
    </td>
  );
}

function NoFigure({ name }: { name: string }) {
  return (
    <td className="number" data-label={name}>
      –
    </td>
  );
}
