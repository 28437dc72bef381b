import { Link } from "holdfast";
import { NumberList } from "../../../parts/charts/number-list.tsx";
import { many, percent, short } from "../../../parts/charts/numbers.ts";
import { StateMark } from "../../../parts/issue/issue-state.tsx";
import { Deploys } from "../../../parts/release/deploys.tsx";
import { HealedRoutes } from "../../../parts/release/healed-routes.tsx";
import { IssueCount, VitalChange } from "../../../parts/release/release-figures.tsx";
import { ReleaseLink } from "../../../parts/release/release-link.tsx";
import { shownRelease } from "../../../parts/release/release-name.ts";
import { TimeAgo } from "../../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/releases/named">;
type Data = Props["data"];

/** One release: its health and issues, routes on another build, deploys, whether its stacks are readable, commits. */
export default function ReleasePage({ data, params: { project }, actions }: Props) {
  const { release, before } = data;
  return (
    <main>
      <title>{`${data.shown} · Holdfast`}</title>
      <meta
        name="description"
        content={`What became of ${data.shown}, its deploys, whether its stacks can be read, its commits.`}
      />
      <header>
        <p className="over-title">
          <Link to="/[project]/releases" params={{ project }}>
            Releases
          </Link>
          {before && (
            <span className="second">
              compared with <ReleaseLink project={project} name={before} />,{" "}
              <Link to="/[project]/releases/compared" params={{ project }} search={{ from: before, to: release.name }}>
                side by side
              </Link>
            </span>
          )}
        </p>
        <h1 className="breaks" title={release.name}>
          {data.shown}
        </h1>
        <Numbers data={data} project={project} />
      </header>
      <HealedRoutes
        {...{ project, release: release.name, healing: data.healing, now: data.now }}
        pin={data.mayChange ? actions.pin : undefined}
      />
      <NewIssues issues={data.newIssues} all={release.newIssues} project={project} />
      <Deploys deploys={data.deploys} now={data.now} />
      <SourceMaps chunks={data.chunks} project={project} />
      <Commits commits={data.commits} now={data.now} />
    </main>
  );
}

function Numbers({ data: { release, now }, project }: { data: Data; project: string }) {
  const { adoption, health, vitals, change } = release;
  const issues = (n: number, term: string) => (
    <IssueCount project={project} n={n} q={`${term}:${JSON.stringify(release.name)}`} />
  );
  const numbers = {
    "First seen": <TimeAgo at={release.firstSeen} now={now} />,
    "Last seen": <TimeAgo at={release.lastSeen} now={now} />,
    Events: issues(release.events, "release"),
    "New issues": issues(release.newIssues, "first-release"),
    "Came back": issues(release.regressedIssues, "regressed-in"),
    Resolved: issues(release.resolvedIssues, "resolved-in"),
    Adoption: adoption === undefined ? "–" : percent(adoption),
    "Crash-free": health.crashFree === undefined ? "–" : percent(health.crashFree, 2),
    "Main content (LCP)": <VitalChange vital={vitals.lcp} change={change.lcp} />,
    "Input response (INP)": <VitalChange vital={vitals.inp} change={change.inp} />,
  };
  return <NumberList numbers={numbers} />;
}

function NewIssues({ issues, all, project }: { issues: Data["newIssues"]; all: number; project: string }) {
  if (issues.length === 0) return null;
  return (
    <section aria-labelledby="new-issues">
      <h2 id="new-issues">Began with this release</h2>
      <ul className="plain commits">
        {issues.map(({ number, title, state, visitors }) => (
          <li key={number} data-row="">
            <StateMark state={state} />
            <Link className="breaks" to="/[project]/issues/[number]" params={{ project, number: String(number) }}>
              {title}
            </Link>
            <span className="second">{many(visitors, "visitor")}</span>
          </li>
        ))}
      </ul>
      {all > issues.length && <p className="second">{all - issues.length} more are not listed.</p>}
    </section>
  );
}

function SourceMaps({ chunks, project }: { chunks: Data["chunks"]; project: string }) {
  const missing = chunks.filter(({ hasMap }) => !hasMap);
  return (
    <section aria-labelledby="maps">
      <h2 id="maps">Source maps</h2>
      <p>{canBeRead(chunks.length, missing.length)}</p>
      {missing.length > 0 && (
        <>
          <p className="second">{whatToDo(missing)}</p>
          <div className="wide">
            <table>
              <thead>
                <tr>
                  <th scope="col">Built file without a map</th>
                  <th scope="col">Debug id</th>
                  <th scope="col" className="number">
                    Events
                  </th>
                  <th scope="col">Example</th>
                </tr>
              </thead>
              <tbody>
                {missing.map(({ debugId, file, unmapped, lastEventId }) => (
                  <tr key={debugId ?? ""} data-row="">
                    <th scope="row">
                      <code>{file}</code>
                    </th>
                    <td>{debugId ? <code>{debugId}</code> : "none"}</td>
                    <td className="number">{short(unmapped)}</td>
                    <td>
                      <Link to="/[project]/events/[id]" params={{ project, id: lastEventId }}>
                        Open the last
                      </Link>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      <Late chunks={chunks} />
    </section>
  );
}

function canBeRead(all: number, missing: number): string {
  if (all === 0) return "No stack of this release has named a built file yet.";
  if (missing === 0)
    return `Its stacks can be read: there is a map for ${all === 1 ? "the one" : `all ${all}`} of ${many(all, "built file")} that they named.`;
  return `Not all of its stacks can be read: ${missing} of ${many(all, "built file")} that they named ${missing === 1 ? "has" : "have"} no map.`;
}

function whatToDo(missing: Data["chunks"]): string {
  const own =
    "An application hands over the maps of its build when it starts: start the build that visitors have, with its whole folder, where this service runs, or elsewhere with HOLDFAST_UPLOAD_TOKEN. Other builds upload them with sentry-cli and a token from Settings, Uploads.";
  const foreign =
    "What has no debug id was built by something that gives none; its stacks stay as they came. sentry-cli sourcemaps inject adds one.";
  return [missing.some(({ debugId }) => debugId) && own, missing.some(({ debugId }) => !debugId) && foreign]
    .filter(Boolean)
    .join(" ");
}

/** A map that was added later is applied when an event is shown. Its issue was decided without it. */
function Late({ chunks }: { chunks: Data["chunks"] }) {
  const late = chunks.filter(({ hasMap, unmapped }) => hasMap && unmapped > 0);
  if (late.length === 0) return null;
  const events = late.reduce((sum, { unmapped }) => sum + unmapped, 0);
  return (
    <p className="second">
      {many(events, "event")} came before the map did. {events === 1 ? "Its stack is" : "Their stacks are"} shown with
      it, and {events === 1 ? "its issue stays" : "their issues stay"} as decided without it.
    </p>
  );
}

function Commits({ commits, now }: { commits: Data["commits"]; now: number }) {
  return (
    <section aria-labelledby="commits">
      <h2 id="commits">Commits in this release</h2>
      {commits.kind === "unknown" ? (
        <p className="second">
          None is known: <code>holdfast build</code> writes them down inside of a git repository.
        </p>
      ) : (
        <>
          <p className="second">{howMany(commits)}</p>
          {commits.commits.length > 0 && (
            <ul className="plain commits">
              {commits.commits.map(({ hash, author, at, subject }) => (
                <li key={hash}>
                  <code title={hash}>{hash.slice(0, 10)}</code>
                  <span className="breaks">{subject}</span>
                  <span className="second">
                    {author}, <TimeAgo at={at} now={now} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}

function howMany(told: Exclude<Data["commits"], { kind: "unknown" }>): string {
  const { length } = told.commits;
  if (told.kind === "newest")
    return `The newest ${many(length, "commit")} up to this build. Which of them are new is known from the next release on.`;
  const before = shownRelease(told.release);
  return length === 0 ? `Built from the same commit as ${before}.` : `${many(length, "commit")} since ${before}.`;
}
