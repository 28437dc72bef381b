import { href, Link } from "holdfast";
import type { ReactNode } from "react";
import { DayChart } from "../../parts/charts/day-chart.tsx";
import { Delta } from "../../parts/charts/delta.tsx";
import { many, milliseconds, percent, short } from "../../parts/charts/numbers.ts";
import { Spark } from "../../parts/charts/spark.tsx";
import { vitalWords } from "../../parts/charts/vital-words.ts";
import { StateMark } from "../../parts/issue/issue-state.tsx";
import { IssueTitle } from "../../parts/issue/message-text.tsx";
import { ReleaseLink } from "../../parts/release/release-link.tsx";
import { ScheduledTasks } from "../../parts/scheduled-tasks.tsx";
import { TimeAgo, useExact } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]">;
type Data = Props["data"];
type Line = Data["sparks"]["errors"];

/** Answers: is it on fire, since when, and since which release? */
export default function Overview({ data, params: { project } }: Props) {
  return (
    <main className="overview">
      <title>Overview · Holdfast</title>
      <meta name="description" content="Whether errors are above what is usual, since when, and for how many." />
      {data.isEmpty ? <Nothing project={project} /> : <Day data={data} project={project} />}
    </main>
  );
}

function Nothing({ project }: { project: string }) {
  return (
    <>
      <h1>Nothing has come in yet</h1>
      <ul className="plain first-steps">
        <li>A Holdfast application reports by itself: open one of its pages, and this screen has its first numbers.</li>
        <li>
          To see an error from end to end, throw one in a page and type the digest that it shows into the box above.
        </li>
        <li>
          For anything else there is a{" "}
          <Link to="/[project]/settings" params={{ project }}>
            set-up to paste
          </Link>
          ;{" "}
          <Link to="/[project]/live" params={{ project }}>
            Live
          </Link>{" "}
          shows it as it comes.
        </li>
      </ul>
    </>
  );
}

function Day({ data, project }: { data: Data; project: string }) {
  return (
    <>
      <header>
        <h1>
          <Answer finding={data.finding} project={project} />
        </h1>
        <p className="second">{data.sentence}</p>
        {data.kept > 0 && (
          <p>
            <a href={href("/[project]/kept", { project })}>{many(data.kept, "kept submission")}</a>{" "}
            {data.kept === 1 ? "waits" : "wait"} to be run again.
          </p>
        )}
      </header>
      <section className="card" aria-labelledby="errors">
        <Figures data={data} project={project} />
        <div className="title-line">
          <h2 id="errors">Errors every 15 minutes</h2>
          <Legend basis={data.basis} isAbove={data.drawing.above !== ""} />
        </div>
        <DayChart
          drawing={data.drawing}
          marks={data.marks}
          hrefOf={(at) =>
            href("/[project]/issues", { project }, { tab: "all", hour: new Date(at).toISOString().slice(0, 13) })
          }
        />
      </section>
      <Tiles data={data} project={project} />
      {data.widest.length > 0 && (
        <Issues
          id="widest"
          heading="Hits most people"
          issues={data.widest}
          now={data.now}
          project={project}
          sort="visitors"
        />
      )}
      <div className="two">
        <Issues id="news" heading="New and came back" issues={data.issues} now={data.now} project={project} />
        <Slower data={data} project={project} />
      </div>
      <NotesWithoutEvent notes={data.notes} now={data.now} />
      <ScheduledTasks tasks={data.tasks} now={data.now} project={project} />
      <LeftOut rules={data.leftOut} />
    </>
  );
}

function Answer({ finding, project }: { finding: Data["finding"]; project: string }) {
  const exact = useExact();
  switch (finding.kind) {
    case "quiet":
      return "All quiet: no error in the last 24 hours";
    case "as-usual":
      return "Errors are as usual";
    case "first-day":
      return `${many(finding.errors, "error")} in the last 24 hours`;
    case "above":
      return (
        <>
          {finding.times === undefined ? (
            <>
              There are <span className="bad">errors</span> where there usually are none,
            </>
          ) : (
            <>
              Errors are <span className="bad">{finding.times} times</span> higher than usual
            </>
          )}{" "}
          {finding.isOlder ? "for more than a day" : `since ${clock(exact(finding.since))}`}
          {finding.release !== undefined && (
            <>
              , when <ReleaseLink project={project} name={finding.release} /> was first seen
            </>
          )}
        </>
      );
  }
}

/** Hour and minute of an exact time, and UTC if it is in that. */
function clock(exact: string): string {
  return exact.slice(11, 16) + exact.slice(19);
}

function Legend({ basis, isAbove }: { basis: string; isAbove: boolean }) {
  return (
    <ul className="legend">
      <li className="usual">Usual</li>
      {isAbove && <li className="above">Above usual</li>}
      <li className="band">{basis}</li>
    </ul>
  );
}

/** A number with what it is compared with, and its line. */
interface Figure {
  name: string;
  link: string;
  /** Undefined if it was not measured. */
  value: string | undefined;
  delta?: ReactNode;
  beside?: string;
  line: Line;
}

/** Visitors first, then what happened to them, each beside what it usually is. */
function Figures({ data, project }: { data: Data; project: string }) {
  const { today, weekAgo, usual, sparks } = data;
  const errorPages = href("/[project]/issues", { project }, { q: "saw:error-page" });
  const [free, before] = [today.sessions.crashFree, weekAgo.sessions.crashFree];
  return (
    <FigureList
      className="figures"
      of={[
        visitorsOf(data, project),
        {
          name: "Errors",
          link: href("/[project]/issues", { project }),
          value: short(today.errors),
          delta: <Delta now={today.errors} usual={usual.errors} better="less" />,
          beside: usually(usual.errors),
          line: sparks.errors,
        },
        {
          name: "Error pages shown",
          link: errorPages,
          value: short(today.errorPages),
          delta: <Delta now={today.errorPages} usual={usual.errorPages} better="less" />,
          beside: usually(usual.errorPages),
          line: sparks.errorPages,
        },
        {
          name: "Visits without a crash",
          link: href("/[project]/releases", { project }),
          value: free === undefined ? "–" : percent(free, 1),
          beside: before === undefined ? "nothing a week ago" : `${percent(before, 1)} a week ago`,
          line: sparks.crashFree,
        },
      ]}
    />
  );
}

/** Who met an error, and how many of them still reached what they wanted. Other clients do not say what came next. */
function visitorsOf({ after, affected, sparks }: Data, project: string): Figure {
  if (after !== undefined)
    return {
      name: "Visitors who saw an error page",
      link: href("/[project]/balance", { project }),
      value: short(after.visitors),
      beside: `${short(after.reached)} still reached what they wanted, ${short(after.gaveUp)} gave up`,
      line: sparks.affected,
    };
  return {
    name: "Visitors affected",
    link: href("/[project]/issues", { project }, { sort: "visitors" }),
    value: short(affected.visitors),
    delta: <Delta now={affected.visitors} usual={affected.usual} better="less" />,
    beside: usually(affected.usual),
    line: sparks.affected,
  };
}

function FigureList({ className, of }: { className: string; of: readonly Figure[] }) {
  return (
    <ul className={className}>
      {of.map(({ name, link, value, delta, beside, line }) => (
        <li key={name}>
          <a href={link}>
            <span className="second">{name}</span>
            <strong>
              {value} {delta}
            </strong>
            {beside && <span className="second">{beside}</span>}
            {line && <Spark line={line} />}
          </a>
        </li>
      ))}
    </ul>
  );
}

function usually(usual: number | undefined): string {
  return usual === undefined ? "nothing to compare with yet" : `usually ${short(Math.round(usual))}`;
}

/** What is worth a look, smaller, beside the same day a week ago. A figure that was not measured has no tile. */
function Tiles({ data: { today, weekAgo, usual, sparks }, project }: { data: Data; project: string }) {
  const pages = (sort?: string) => href("/[project]/pages", { project }, { sort });
  const vital = (name: "lcp" | "inp" | "cls"): Figure => {
    const p75 = today.vitals[name]?.p75;
    return {
      name: `${vitalWords[name]} (${name.toUpperCase()})`,
      link: pages(name),
      value: p75 === undefined ? undefined : name === "cls" ? p75.toFixed(3) : milliseconds(p75),
      delta: <Delta now={p75} usual={weekAgo.vitals[name]?.p75} better="less" />,
      line: sparks[name],
    };
  };
  const { request, sessions, prefetchHitRate, fullLoads } = today;
  const tiles: readonly Figure[] = [
    vital("lcp"),
    vital("inp"),
    vital("cls"),
    {
      name: "Server time, p95",
      link: pages("server"),
      value: request && milliseconds(request.p95),
      delta: <Delta now={request?.p95} usual={weekAgo.request?.p95} better="less" />,
      line: sparks.request,
    },
    {
      name: "Visits",
      link: href("/[project]/releases", { project }),
      value: sessions.started === 0 ? undefined : short(sessions.started),
      delta: <Delta now={sessions.started} usual={usual.visits} />,
      line: sparks.visits,
    },
    {
      name: "Prefetches used",
      link: pages(),
      value: prefetchHitRate === undefined ? undefined : percent(prefetchHitRate),
      line: sparks.prefetches,
    },
    { name: "Full page loads", link: pages(), value: fullLoads === 0 ? undefined : short(fullLoads), line: undefined },
  ];
  return <FigureList className="tiles" of={tiles.filter(({ value }) => value !== undefined).slice(0, 6)} />;
}

/** Routes that take longer than in the same hours a week ago. Without that week, nothing is said. */
function Slower({ data: { slower, weekAgo }, project }: { data: Data; project: string }) {
  if (slower.length === 0 && weekAgo.pagesServed === 0) return null;
  return (
    <section className="card rows" aria-labelledby="slower">
      <div className="title-line">
        <h2 id="slower">Slower than last week</h2>
        <Link to="/[project]/pages" params={{ project }}>
          All pages
        </Link>
      </div>
      {slower.length === 0 ? (
        <p className="second">No route is slower than a week ago.</p>
      ) : (
        <ul className="plain recent issues">
          {slower.map(({ route, measure, after, times, line }) => (
            <li key={route} data-row="">
              <Delta now={times} usual={1} better="less" />
              <Link to="/[project]/pages/route" params={{ project }} search={{ route }}>
                <code>{route}</code>
              </Link>
              <span className="second" title={`75th percentile, ${measure}`}>
                {line && <Spark line={line} />}
                {milliseconds(after)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface IssuesProps {
  id: string;
  heading: string;
  issues: Data["issues"];
  now: number;
  project: string;
  /** How the whole list is sorted. */
  sort?: string;
}

/** Issues that need a decision. */
function Issues({ id, heading, issues, now, project, sort }: IssuesProps) {
  return (
    <section className="card rows" aria-labelledby={id}>
      <div className="title-line">
        <h2 id={id}>{heading}</h2>
        <Link to="/[project]/issues" params={{ project }} search={{ sort }}>
          All issues
        </Link>
      </div>
      {issues.length === 0 ? (
        <p className="second">No issue is new, and none that was resolved has come back.</p>
      ) : (
        <ul className="plain recent issues">
          {issues.map((issue) => (
            <li key={issue.number} data-row="">
              <StateMark state={issue.state} />
              <Link to="/[project]/issues/[number]" params={{ project, number: issue.number }}>
                <IssueTitle type={issue.type} message={issue.message} />
              </Link>
              <span className="second">
                {many(issue.visitors, "visitor")}, {many(issue.events, "event")},{" "}
                <TimeAgo at={issue.lastSeen} now={now} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Notes of visitors about an event that has not arrived. Other notes are shown with their event. */
function NotesWithoutEvent({ notes, now }: { notes: Data["notes"]; now: number }) {
  if (notes.length === 0) return null;
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes without an event</h2>
      <p className="second">No event has these digests yet. When one comes, its note is shown with it.</p>
      {notes.map(({ at, from, message, digest }) => (
        <figure key={`${digest} ${at}`} className="feedback">
          <figcaption>
            {from ?? "A visitor"} wrote about <code>{digest}</code>, <TimeAgo at={at} now={now} />
          </figcaption>
          <blockquote>{message}</blockquote>
        </figure>
      ))}
    </section>
  );
}

/** Shows every loss: reports that a rule dropped, or that could not be delivered. */
function LeftOut({ rules }: { rules: Data["leftOut"] }) {
  return (
    <section aria-labelledby="left-out">
      <h2 id="left-out">Left out of reports</h2>
      {rules.length === 0 ? (
        <p className="second">Everything was reported.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Of what kind</th>
              <th scope="col" className="number">
                How often
              </th>
            </tr>
          </thead>
          <tbody>
            {rules.map(({ reason, category, n }) => (
              <tr key={`${reason} ${category}`}>
                <td>{reason.replace(/^filter:/, "")}</td>
                <td>{category}</td>
                <td className="number">{short(n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
