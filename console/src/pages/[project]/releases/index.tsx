import { Link } from "holdfast";
import { NumberHead } from "../../../parts/charts/number-head.tsx";
import { percent, short } from "../../../parts/charts/numbers.ts";
import { IssueCount, VitalChange } from "../../../parts/release/release-figures.tsx";
import { ReleaseLink } from "../../../parts/release/release-link.tsx";
import { TimeAgo } from "../../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/releases">;

/** Newest first, each compared with the previous one. */
export default function Releases({ data, params: { project } }: Props) {
  return (
    <main>
      <title>Releases · Holdfast</title>
      <meta name="description" content="Each release beside the one before." />
      <div className="title-line">
        <h1>Releases</h1>
        {data.releases.length > 1 && (
          <Link to="/[project]/releases/compared" params={{ project }}>
            Compare two releases
          </Link>
        )}
      </div>
      {data.releases.length === 0 ? (
        <div className="empty">
          <h2>No release is known</h2>
          <p>A release is named by the git commit or the build, and appears with its first event or page view.</p>
        </div>
      ) : (
        <div className="wide">
          <table className="cards in-three">
            <thead>
              <tr>
                <th scope="col">Release</th>
                <NumberHead>First seen</NumberHead>
                <NumberHead>Last seen</NumberHead>
                <NumberHead>Events</NumberHead>
                <NumberHead>New issues</NumberHead>
                <NumberHead>Came back</NumberHead>
                <NumberHead>Resolved</NumberHead>
                <NumberHead>Adoption</NumberHead>
                <NumberHead>Crash-free</NumberHead>
                <th scope="col">Source maps</th>
                <NumberHead>Main content (LCP)</NumberHead>
                <NumberHead>Input response (INP)</NumberHead>
              </tr>
            </thead>
            <tbody>
              {data.releases.map((release) => (
                <tr key={release.name} data-row="">
                  <th scope="row" title={release.name}>
                    <ReleaseLink project={project} name={release.name} />
                  </th>
                  <td className="number" data-label="First seen">
                    <TimeAgo at={release.firstSeen} now={data.now} />
                  </td>
                  <td className="number" data-label="Last seen">
                    <TimeAgo at={release.lastSeen} now={data.now} />
                  </td>
                  <td className="number" data-label="Events">
                    {short(release.events)}
                  </td>
                  <Issues
                    name="New issues"
                    project={project}
                    n={release.newIssues}
                    q={`first-release:${JSON.stringify(release.name)}`}
                  />
                  <Issues
                    name="Came back"
                    project={project}
                    n={release.regressedIssues}
                    q={`regressed-in:${JSON.stringify(release.name)}`}
                  />
                  <Issues
                    name="Resolved"
                    project={project}
                    n={release.resolvedIssues}
                    q={`resolved-in:${JSON.stringify(release.name)}`}
                  />
                  <td className="number" data-label="Adoption">
                    {release.adoption === undefined ? "–" : percent(release.adoption)}
                  </td>
                  <td className="number" data-label="Crash-free">
                    {release.health.crashFree === undefined ? "–" : percent(release.health.crashFree, 2)}
                  </td>
                  <td data-label="Source maps">
                    <MapsMark maps={release.maps} />
                  </td>
                  <Change name="Main content (LCP)" vital={release.vitals.lcp} change={release.change.lcp} />
                  <Change name="Input response (INP)" vital={release.vitals.inp} change={release.change.inp} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </main>
  );
}

interface Labelled {
  /** Label of the cell on a phone. */
  name: string;
}

/** Their number, linked to the list. */
function Issues({ name, ...props }: Parameters<typeof IssueCount>[0] & Labelled) {
  return (
    <td className="number" data-label={name}>
      <IssueCount {...props} />
    </td>
  );
}

function Change({ name, ...props }: Parameters<typeof VitalChange>[0] & Labelled) {
  return (
    <td className="number" data-label={name}>
      <VitalChange {...props} />
    </td>
  );
}

/** Whether the stacks of a release are readable. Empty until one of them contains a built file. */
function MapsMark({ maps }: { maps: { chunks: number; withoutMap: number } | undefined }) {
  if (maps === undefined) return <span title="No stack has named a built file yet">–</span>;
  if (maps.withoutMap === 0) return <span className="rating good">✓ all {short(maps.chunks)}</span>;
  return (
    <span className="rating poor">
      ✗ {short(maps.withoutMap)} of {short(maps.chunks)} missing
    </span>
  );
}
