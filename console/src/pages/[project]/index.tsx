import { href, Link } from "holdfast";
import { Chart } from "../../parts/charts/chart.tsx";
import { many, milliseconds, percent, short } from "../../parts/charts/numbers.ts";
import { Rating } from "../../parts/charts/rating.tsx";
import { type ShownState, StateMark } from "../../parts/issue/issue-state.tsx";
import { ScheduledTasks } from "../../parts/scheduled-tasks.tsx";
import { TimeAgo } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]">;
type Health = Props["data"]["today"];

/** Answers: is anything broken, and since which deployment? */
export default function Overview({ data, params: { project } }: Props) {
  return (
    <main>
      <title>Overview · Holdfast</title>
      <meta
        name="description"
        content="The last 24 hours beside the same a week ago: visitors, failures, vitals, new issues."
      />
      <h1>The last 24 hours</h1>
      {data.isEmpty && (
        <div className="empty">
          <h2>Nothing has come in yet</h2>
          <ul>
            <li>
              A Holdfast application reports by itself: open one of its pages, and this screen has its first numbers.
            </li>
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
        </div>
      )}
      {!data.isEmpty && <Day data={data} project={project} />}
    </main>
  );
}

function Day({ data, project }: { data: Props["data"]; project: string }) {
  return (
    <>
      <Figures data={data} project={project} />
      <section aria-labelledby="errors">
        <h2 id="errors">Errors by hour</h2>
        <Chart
          values={data.errorsByHour}
          label="Errors in the last 24 hours"
          days={1}
          marks={data.deploys}
          project={project}
        />
      </section>
      <IssueRows
        title="Came back"
        issues={data.regressed}
        project={project}
        now={data.now}
        none="Nothing that was resolved has come back."
      />
      <IssueRows title="New" issues={data.newIssues} project={project} now={data.now} none="No new issue." />
      <NotesWithoutEvent notes={data.notes} now={data.now} />
      <ScheduledTasks tasks={data.tasks} now={data.now} project={project} />
      <LeftOut rules={data.leftOut} />
    </>
  );
}

function Figures({ data: { today, weekAgo }, project }: { data: Props["data"]; project: string }) {
  const issues = href("/[project]/issues", { project });
  const pages = href("/[project]/pages", { project });
  const releases = href("/[project]/releases", { project });
  const figures: readonly Figure[] = [
    { name: "Errors", link: issues, of: ({ errors }) => errors, write: short },
    {
      name: "Error pages shown",
      link: href("/[project]/issues", { project }, { q: "saw:error-page" }),
      of: ({ errorPages }) => errorPages,
      write: short,
    },
    {
      name: "Crash-free",
      link: releases,
      of: ({ sessions }) => sessions.crashFree,
      write: (n) => percent(n, 2),
    },
    { name: "Sessions", link: releases, of: ({ sessions }) => sessions.started, write: short },
    { name: "Requests traced", link: pages, of: ({ pagesServed }) => pagesServed, write: short },
    vitalFigure("lcp", project, milliseconds),
    vitalFigure("inp", project, milliseconds),
    vitalFigure("cls", project, (n) => n.toFixed(3)),
    vitalFigure("fcp", project, milliseconds),
    vitalFigure("ttfb", project, milliseconds),
    {
      name: "Prefetches used",
      link: pages,
      of: ({ prefetchHitRate }) => prefetchHitRate,
      write: (n) => percent(n),
    },
    { name: "Full page loads", link: pages, of: ({ fullLoads }) => fullLoads, write: short },
  ];
  return (
    <ul className="figures">
      {figures.map(({ name, link, of, write, rated }) => {
        const now = of(today);
        const before = of(weekAgo);
        const rating = rated?.(today);
        return (
          <li key={name}>
            <a href={link}>
              <span className="second">{name}</span>
              <strong>
                {now === undefined ? "–" : write(now)} {rating && <Rating of={rating} />}
              </strong>
              <span className="second">
                {before === undefined ? "nothing a week ago" : `${write(before)} a week ago`}
              </span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** The 75th percentile of the visitors. */
function vitalFigure(vital: keyof Health["vitals"], project: string, write: Figure["write"]): Figure {
  return {
    name: `${vital.toUpperCase()}, p75`,
    link: href("/[project]/pages", { project }, { sort: vital }),
    of: ({ vitals }) => vitals[vital]?.p75,
    write,
    rated: ({ vitals }) => vitals[vital]?.rating,
  };
}

/** Notes of visitors about an event that has not arrived. Other notes are shown with their event. */
function NotesWithoutEvent({ notes, now }: { notes: Props["data"]["notes"]; now: number }) {
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
function LeftOut({ rules }: { rules: Props["data"]["leftOut"] }) {
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

interface Figure {
  name: string;
  link: string;
  of: (health: Health) => number | undefined;
  write: (n: number) => string;
  rated?: (health: Health) => Parameters<typeof Rating>[0]["of"] | undefined;
}

interface Row {
  number: number;
  title: string;
  state: ShownState;
  events: number;
  visitors: number;
  lastSeen: number;
}

interface IssueRowsProps {
  title: string;
  issues: readonly Row[];
  project: string;
  now: number;
  none: string;
}

function IssueRows({ title, issues, project, now, none }: IssueRowsProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {issues.length === 0 ? (
        <p className="second">{none}</p>
      ) : (
        <ul className="plain recent issues">
          {issues.map((issue) => (
            <li key={issue.number} data-row="">
              <StateMark state={issue.state} />{" "}
              <Link to="/[project]/issues/[number]" params={{ project, number: issue.number }}>
                {issue.title}
              </Link>{" "}
              <span className="second">
                {many(issue.events, "event")}, {many(issue.visitors, "visitor")},{" "}
                <TimeAgo at={issue.lastSeen} now={now} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
