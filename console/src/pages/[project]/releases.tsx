import { Link } from "holdfast";
import { Moment } from "../../parts/moment.tsx";
import { milliseconds, percent, short } from "../../parts/numbers.ts";

type Props = PageProps<"/_holdfast/[project]/releases">;
type Release = Props["data"]["releases"][number];

/** Newest first, each beside the one before. */
export default function Releases({ data, params: { project } }: Props) {
  return (
    <main>
      <title>Releases · Holdfast</title>
      <meta name="description" content="Each release beside the one before." />
      <h1>Releases</h1>
      {data.releases.length === 0 ? (
        <div className="empty">
          <h2>No release is known</h2>
          <p>A release is named by the git commit or the build, and appears with its first event or page view.</p>
        </div>
      ) : (
        <div className="wide">
          <table>
            <thead>
              <tr>
                <th scope="col">Release</th>
                <th scope="col" className="number">
                  First seen
                </th>
                <th scope="col" className="number">
                  Last seen
                </th>
                <th scope="col" className="number">
                  Events
                </th>
                <th scope="col" className="number">
                  New issues
                </th>
                <th scope="col" className="number">
                  Came back
                </th>
                <th scope="col" className="number">
                  Resolved
                </th>
                <th scope="col" className="number">
                  On it now
                </th>
                <th scope="col" className="number">
                  Crash-free
                </th>
                <th scope="col" className="number">
                  LCP, change
                </th>
                <th scope="col" className="number">
                  INP, change
                </th>
              </tr>
            </thead>
            <tbody>
              {data.releases.map((release) => (
                <tr key={release.name} data-row="">
                  <th scope="row" title={release.name}>
                    <Link
                      to="/_holdfast/[project]/issues"
                      params={{ project }}
                      search={{ q: `release:${JSON.stringify(release.name)}`, tab: "all" }}
                    >
                      {release.shown}
                    </Link>
                  </th>
                  <td className="number">
                    <Moment at={release.firstSeen} now={data.now} />
                  </td>
                  <td className="number">
                    <Moment at={release.lastSeen} now={data.now} />
                  </td>
                  <td className="number">{short(release.events)}</td>
                  <Issues project={project} n={release.newIssues} q={`first-release:${JSON.stringify(release.name)}`} />
                  <Issues
                    project={project}
                    n={release.regressedIssues}
                    q={`is:regressed release:${JSON.stringify(release.name)}`}
                  />
                  <Issues project={project} n={release.resolvedIssues} q="is:resolved" />
                  <td className="number">{release.adoption === undefined ? "–" : percent(release.adoption)}</td>
                  <td className="number">
                    {release.health.crashFree === undefined ? "–" : percent(release.health.crashFree, 2)}
                  </td>
                  <Change vital={release.vitals.lcp} change={release.change.lcp} />
                  <Change vital={release.vitals.inp} change={release.change.inp} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </main>
  );
}

/** How many, and the list of them. */
function Issues({ project, n, q }: { project: string; n: number; q: string }) {
  return (
    <td className="number">
      {n === 0 ? (
        "0"
      ) : (
        <Link to="/_holdfast/[project]/issues" params={{ project }} search={{ q, tab: "all" }}>
          {short(n)}
        </Link>
      )}
    </td>
  );
}

function Change({ vital, change }: { vital: Release["vitals"]["lcp"]; change: number | undefined }) {
  if (!vital) return <td className="number">–</td>;
  return (
    <td className="number">
      {milliseconds(vital.p75)}{" "}
      {change !== undefined && Math.abs(change) >= 1 && (
        <span className={`rating ${change > 0 ? "poor" : "good"}`}>
          {change > 0 ? "slower by" : "quicker by"} {milliseconds(Math.abs(change))}
        </span>
      )}
    </td>
  );
}
