import { Link } from "holdfast";
import { NumberHead } from "../../../parts/charts/number-head.tsx";
import { many, milliseconds, percent, short } from "../../../parts/charts/numbers.ts";
import { Rating } from "../../../parts/charts/rating.tsx";
import { vitalWords } from "../../../parts/charts/vital-words.ts";
import { StateMark } from "../../../parts/issue/issue-state.tsx";
import { ReleaseLink } from "../../../parts/release/release-link.tsx";
import { shownRelease } from "../../../parts/release/release-name.ts";
import { ExactTime } from "../../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/releases/compared">;
type Data = Props["data"];
type Release = Data["to"];

/** Any two releases: what the newer one broke, repaired, slowed down and sped up. */
export default function ComparedReleases({ data, params: { project } }: Props) {
  const { from, to } = data;
  return (
    <main>
      <title>{`${shownRelease(from.name)} and ${shownRelease(to.name)} · Holdfast`}</title>
      <meta name="description" content="Two releases: new, gone and grown issues, slower and quicker routes." />
      <p className="over-title">
        <Link to="/[project]/releases" params={{ project }}>
          Releases
        </Link>
      </p>
      <h1 className="breaks">{finding(data)}</h1>
      <form className="compared">
        <Choice name="from" label="Compare" names={data.names} chosen={from.name} />
        <Choice name="to" label="with" names={data.names} chosen={to.name} />
        <button type="submit">Compare</button>
      </form>
      <ul className="plain deploys">
        {[to, from].map((release) => (
          <li key={release.name}>
            <ReleaseLink project={project} name={release.name} />, first seen <ExactTime at={release.firstSeen} />
            {deployOf(release)}
          </li>
        ))}
      </ul>
      <Adoption from={from} to={to} />
      <Issues title="New issues" issues={data.newIssues} none="No issue began with it." project={project} />
      <Issues title="Grown issues" issues={data.grownIssues} none="No issue is more frequent." project={project} />
      <Issues title="Gone issues" issues={data.goneIssues} none="Every issue was seen again." project={project} />
      <Routes routes={data.routes} project={project} />
      <Vitals from={from} to={to} />
    </main>
  );
}

/** The finding in words. */
function finding({ from, to, newIssues, grownIssues, routes }: Data): string {
  const slower = routes.filter(({ times }) => times > 1).length;
  const found = [
    newIssues.length > 0 && `${many(newIssues.length, "new issue")}`,
    grownIssues.length > 0 && `${many(grownIssues.length, "issue")} more frequent`,
    slower > 0 && `${many(slower, "route")} slower`,
  ].filter((part) => part !== false);
  const names = `${shownRelease(to.name)} after ${shownRelease(from.name)}`;
  return `${names}: ${found.length === 0 ? "nothing got worse" : found.join(", ")}`;
}

function Choice(props: { name: string; label: string; names: readonly string[]; chosen: string }) {
  return (
    <label>
      {props.label}{" "}
      <select name={props.name} defaultValue={props.chosen}>
        {props.names.map((name) => (
          <option key={name} value={name}>
            {shownRelease(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** One line for each deployment. What was not measured is left out. */
function deployOf({ visits, deploy }: Release): string {
  const { errorsInFirstHour, adoptedInHour, adoptedInDay, skewLoads } = deploy;
  return [
    visits > 0 && `${many(visits, "visit")} in its first week`,
    errorsInFirstHour !== undefined && `${many(errorsInFirstHour, "error")} of all releases in its first hour`,
    adoptedInHour !== undefined && `${percent(adoptedInHour)} of visits after an hour`,
    adoptedInDay !== undefined && `${percent(adoptedInDay)} after a day`,
    skewLoads !== undefined && `${many(skewLoads, "page load")} because the build had changed`,
  ]
    .filter((part) => part !== false)
    .map((part) => `, ${part}`)
    .join("");
}

function Adoption({ from, to }: { from: Release; to: Release }) {
  const drawn = [to, from].filter(({ adoption }) => adoption !== "");
  if (drawn.length === 0) return null;
  return (
    <section aria-labelledby="adoption">
      <h2 id="adoption">Adoption</h2>
      <div className="trends">
        {drawn.map(({ name, adoption, hours }) => (
          <figure key={name} className="trend">
            <svg
              viewBox="0 -4 1000 108"
              preserveAspectRatio="none"
              role="img"
              aria-label={`Share of visits with ${name}`}
            >
              <path d={adoption} className="better" />
            </svg>
            <figcaption className="second">
              {shownRelease(name)}: share of visits by hours, {many(hours, "hour")} since it was first seen
            </figcaption>
          </figure>
        ))}
      </div>
    </section>
  );
}

interface IssuesProps {
  title: string;
  issues: Data["newIssues"];
  none: string;
  project: string;
}

function Issues({ title, issues, none, project }: IssuesProps) {
  return (
    <section>
      <h2>{title}</h2>
      {issues.length === 0 ? (
        <p className="second">{none}</p>
      ) : (
        <div className="wide">
          <table className="cards">
            <thead>
              <tr>
                <th scope="col">Issue</th>
                <th scope="col">State</th>
                <NumberHead>Events before</NumberHead>
                <NumberHead>after</NumberHead>
                <NumberHead>Visitors</NumberHead>
              </tr>
            </thead>
            <tbody>
              {issues.map((issue) => (
                <tr key={issue.number} data-row="">
                  <th scope="row">
                    <Link to="/[project]/issues/[number]" params={{ project, number: String(issue.number) }}>
                      {issue.title}
                    </Link>
                  </th>
                  <td data-label="State">
                    <StateMark state={issue.state} />
                  </td>
                  <td className="number" data-label="Before">
                    {short(issue.before)}
                  </td>
                  <td className="number" data-label="After">
                    {short(issue.after)}
                  </td>
                  <td className="number" data-label="Visitors">
                    {short(issue.visitors)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const measureNames: Readonly<Record<string, string>> = {
  pageload: "Load",
  navigation: "Navigation",
  request: "Server",
};

function Routes({ routes, project }: { routes: Data["routes"]; project: string }) {
  return (
    <section aria-labelledby="routes">
      <h2 id="routes">Slower and quicker routes</h2>
      {routes.length === 0 ? (
        <p className="second">No route changed by a third, or too few views were measured.</p>
      ) : (
        <div className="wide">
          <table className="cards">
            <thead>
              <tr>
                <th scope="col">Route</th>
                <th scope="col">Measure</th>
                <NumberHead>p75 before</NumberHead>
                <NumberHead>after</NumberHead>
                <th scope="col">Change</th>
              </tr>
            </thead>
            <tbody>
              {routes.map(({ route, measure, before, after, times }) => (
                <tr key={route} data-row="">
                  <th scope="row">
                    <Link to="/[project]/pages/route" params={{ project }} search={{ route }}>
                      <code>{route}</code>
                    </Link>
                  </th>
                  <td data-label="Measure">{measureNames[measure]}</td>
                  <td className="number" data-label="Before">
                    {milliseconds(before)}
                  </td>
                  <td className="number" data-label="After">
                    {milliseconds(after)}
                  </td>
                  <td data-label="Change">
                    <span className={`rating ${times > 1 ? "poor" : "good"}`}>
                      {(times > 1 ? times : 1 / times).toFixed(1)} × {times > 1 ? "slower" : "quicker"}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p className="second">Compared are the times in which each was the newest release, a week at most.</p>
    </section>
  );
}

function Vitals({ from, to }: { from: Release; to: Release }) {
  const known = (["lcp", "inp", "cls", "fcp", "ttfb"] as const).filter((name) => from.vitals[name] || to.vitals[name]);
  if (known.length === 0) return null;
  return (
    <section aria-labelledby="vitals">
      <h2 id="vitals">Vitals</h2>
      <div className="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">p75</th>
              <NumberHead>before</NumberHead>
              <NumberHead>after</NumberHead>
            </tr>
          </thead>
          <tbody>
            {known.map((name) => (
              <tr key={name}>
                <th scope="row">
                  {vitalWords[name]} ({name.toUpperCase()})
                </th>
                {[from, to].map(({ name: release, vitals }) => (
                  <td key={release} className="number">
                    {vitals[name] ? (
                      <>
                        {name === "cls" ? vitals[name].p75.toFixed(3) : milliseconds(vitals[name].p75)}{" "}
                        <Rating of={vitals[name].rating} />
                      </>
                    ) : (
                      "–"
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
