import { href, Link } from "holdfast";
import { useAddress } from "../../../parts/address.ts";
import { NumberList } from "../../../parts/charts/number-list.tsx";
import { grouped, many } from "../../../parts/charts/numbers.ts";
import { Initials } from "../../../parts/initials.tsx";
import { StateMark } from "../../../parts/issue/issue-state.tsx";
import { TimeAgo } from "../../../parts/time/time-ago.tsx";
import { VisitBox } from "../../../parts/visitor/visit-box.tsx";

type Props = PageProps<"/[project]/visitors/[id]">;
type Visitor = Props["data"]["visitor"];

/** Who a visitor is, and what happened to them: visits, the newest first. */
export default function VisitorPage({ data, params: { project } }: Props) {
  const { visitor, now } = data;
  return (
    <main className="with-aside">
      <title>{`${visitor.name} · Visitor · Holdfast`}</title>
      <meta name="description" content="Visits of one visitor: pages, clicks, failures and notes." />
      <header>
        <div className="who-is">
          <Initials of={visitor.name} />
          <div>
            <h1 className="breaks">{visitor.name}</h1>
            <p className="second breaks">{visitor.about || "Visitor"}</p>
          </div>
        </div>
        <p>{findingOf(visitor, data.isPart)}</p>
        <Numbers data={data} />
      </header>
      <div className="main-part">
        <section aria-labelledby="visits">
          <div className="title-line">
            <h2 id="visits">Visits</h2>
            <Choices data={data} />
          </div>
          {visitor.visits.length === 0 && <p className="second">Nothing failed in these visits.</p>}
          {visitor.visits.map((visit) => (
            <VisitBox key={visit.from} visit={visit} project={project} />
          ))}
        </section>
        <Paging data={data} />
      </div>
      <aside>
        <Issues visitor={visitor} project={project} />
        {visitor.devices.length > 0 && (
          <section aria-labelledby="devices">
            <h2 id="devices">Devices</h2>
            <ul className="plain">
              {visitor.devices.map((device) => (
                <li key={device} className="breaks">
                  {device}
                </li>
              ))}
            </ul>
          </section>
        )}
        <section aria-labelledby="more">
          <h2 id="more">More</h2>
          <ul className="plain">
            <li>
              <a href={href("/[project]/live", { project }, { visitor: visitor.id })}>This visitor in Live</a>
            </li>
            {data.mayErase && (
              <li>
                <a href={href("/[project]/settings/erase", { project }, { visitor: visitor.id })}>
                  Export or forget this visitor
                </a>
              </li>
            )}
            {visitor.filter && (
              <li>
                <a href={href("/[project]/issues", { project }, { q: visitor.filter, tab: "all" })}>
                  All issues that they met
                </a>
              </li>
            )}
          </ul>
          <p className="second">
            First report <TimeAgo at={visitor.firstAt} now={now} />. Who it is stands only in events, as far as your
            application sends it and <a href={href("/[project]/settings", { project })}>the settings</a> keep it.
          </p>
        </section>
      </aside>
    </main>
  );
}

/** The answer in words, before the figures. */
function findingOf({ sums, earlier }: Visitor, isPart: boolean): string {
  const which = isPart ? "earlier visit" : earlier === undefined ? "visit" : "newest visit";
  if (sums.failures === 0)
    return `Nothing failed in ${sums.visits === 1 ? `the only ${which}` : many(sums.visits, which)}.`;
  const where = sums.visits === 1 ? `in the only ${which}` : `in ${sums.withFailures} of ${many(sums.visits, which)}`;
  return `${many(sums.failures, "failure")} ${where}.`;
}

function Numbers({ data: { visitor, now } }: { data: Props["data"] }) {
  const { sums, firstAt, lastAt } = visitor;
  const failures = grouped(sums.failures);
  return (
    <NumberList
      numbers={{
        Visits: grouped(sums.visits),
        Pages: grouped(sums.pages),
        Failures: sums.failures > 0 ? <strong className="problem">{failures}</strong> : failures,
        Notes: grouped(sums.notes),
        "First seen": <TimeAgo at={firstAt} now={now} />,
        "Last seen": <TimeAgo at={lastAt} now={now} />,
      }}
    />
  );
}

function Choices({ data: { visitor, onlyFailing } }: { data: Props["data"] }) {
  const address = useAddress();
  return (
    <nav className="choices" aria-label="Which visits">
      <a href={address({ only: undefined })} aria-current={onlyFailing ? undefined : "true"}>
        All
      </a>
      <a href={address({ only: "failures" })} aria-current={onlyFailing ? "true" : undefined}>
        With failures {visitor.sums.withFailures}
      </a>
    </nav>
  );
}

function Paging({ data: { visitor, isPart } }: { data: Props["data"] }) {
  const address = useAddress();
  if (!isPart && visitor.earlier === undefined) return null;
  return (
    <nav className="paging" aria-label="Other visits">
      {isPart && <a href={address({ before: undefined })}>Newest visits</a>}
      {visitor.earlier !== undefined && <a href={address({ before: String(visitor.earlier) })}>Earlier visits</a>}
    </nav>
  );
}

function Issues({ visitor, project }: { visitor: Visitor; project: string }) {
  if (visitor.issues.length === 0) return null;
  return (
    <section aria-labelledby="failed">
      <h2 id="failed">What failed</h2>
      <ul className="plain met">
        {visitor.issues.map(({ number, title, state, times }) => (
          <li key={number}>
            <Link to="/[project]/issues/[number]" params={{ project, number }}>
              {title}
            </Link>{" "}
            <span className="second">
              <StateMark state={state} /> {times} ×
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
