import { Link } from "holdfast";
import { Fragment, type ReactNode } from "react";
import { many, short } from "../../parts/charts/numbers.ts";
import { useExact } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/balance">;
type Data = Props["data"];
type Hour = Data["hours"][number];
type Tally = Hour["submissions"];

/** Answers: has everything that began an end: error pages, submissions, navigations? Did visitors get further? */
export default function Balance({ data, params: { project } }: Props) {
  return (
    <main>
      <title>Balance · Holdfast</title>
      <meta name="description" content="Both sides of the books: error pages, submissions and navigations by hour." />
      <header>
        <h1>{headingOf(data.lost)}</h1>
        <p className="second">
          Each error page that is shown needs an event, each submission that is taken an outcome, each navigation that
          begins an end. An hour is closed some minutes after its end; a difference is then an issue.
        </p>
      </header>
      <After after={data.after} />
      <table className="books">
        <thead>
          <tr>
            <th scope="col">Hour</th>
            <BookHead title="Error pages" sides="shown / filed" />
            <BookHead title="Submissions" sides="taken / ended" />
            <BookHead title="Navigations" sides="begun / ended" />
            <th scope="col">Difference</th>
          </tr>
        </thead>
        <tbody>
          {data.hours.map((hour) => (
            <HourRow key={hour.hour} hour={hour} project={project} />
          ))}
        </tbody>
      </table>
    </main>
  );
}

function headingOf({ pages, submissions, navigations }: Data["lost"]) {
  const lost = [
    pages > 0 && `${many(pages, "error page")} without an event`,
    submissions > 0 && `${many(submissions, "submission")} without an outcome`,
    navigations > 0 && `${many(navigations, "navigation")} without an end`,
  ].filter((one) => one !== false);
  return lost.length === 0 ? "The books are level" : <span className="bad">{lost.join(", ")}</span>;
}

function BookHead({ title, sides }: { title: string; sides: string }) {
  return (
    <th scope="col" className="number">
      {title} <span className="limit">{sides}</span>
    </th>
  );
}

/** What visitors did next. */
function After({ after }: { after: Data["after"] }) {
  if (after === undefined) return <p>No visitor has seen an error page in the last 24 hours.</p>;
  const { visitors, further, through, gaveUp, open, unknown } = after;
  return (
    <p>
      {many(visitors, "visitor")} saw an error page in the last 24 hours: {short(through)} tried again and got through,{" "}
      {short(further)} got further, <span className={gaveUp > 0 ? "bad" : undefined}>{short(gaveUp)} gave up</span>
      {open > 0 && `, ${short(open)} may still be there`}
      {unknown > 0 && `, ${short(unknown)} unknown`}.
    </p>
  );
}

function HourRow({ hour, project }: { hour: Hour; project: string }) {
  const exact = useExact();
  const { submissions, navigations } = hour;
  return (
    <tr data-row="">
      <th scope="row">
        <span className="rare">{exact(hour.at).slice(0, 11)}</span>
        {exact(hour.at).slice(11, 16)}
      </th>
      <Sides begun={hour.shown} ended={hour.filed} isBad={hour.isClosed && hour.missing > 0} />
      <Sides {...submissions} isBad={hour.isClosed && submissions.missing > 0} />
      <Sides {...navigations} isBad={hour.isClosed && navigations.missing > 0} />
      <td className="difference">
        <Difference hour={hour} project={project} />
      </td>
    </tr>
  );
}

interface SidesProps {
  begun: number;
  ended: number;
  ends?: Tally["ends"];
  isBad: boolean;
}

/** Both sides of one book. The title of the second one says which ends there were. */
function Sides({ begun, ended, ends = [], isBad }: SidesProps) {
  if (begun === 0) return <td className="number second">–</td>;
  const kinds = ends.map(({ kind, n }) => `${short(n)} ${kind}`).join(", ");
  return (
    <td className="number">
      {short(begun)} /{" "}
      <span className={isBad ? "bad" : undefined} title={kinds || undefined}>
        {short(ended)}
      </span>
    </td>
  );
}

function Difference({ hour, project }: { hour: Hour; project: string }) {
  const { isClosed, shown, missing, declared, onTheirWay, examples, leftOut, submissions, navigations } = hour;
  const isLevel =
    missing + declared + onTheirWay + submissions.missing + submissions.running + navigations.missing === 0;
  const isEmpty = shown + submissions.begun + navigations.begun === 0;
  return (
    <>
      {isLevel && <span className="second">{isEmpty ? "" : isClosed ? "✓ level" : "✓ level so far"}</span>}
      <Missing n={missing} isClosed={isClosed} what="error page">
        {examples.map(({ digest, route }) => (
          <Fragment key={digest}>
            <Link to="/[project]/find" params={{ project }} search={{ q: digest }} title={route}>
              <code>{digest}</code>
            </Link>{" "}
          </Fragment>
        ))}
      </Missing>
      <Missing n={submissions.missing} isClosed={isClosed} what="submission">
        {submissions.examples.map(({ id, route, name, key }) => (
          <span key={id} title={key && `Key ${key}`}>
            {name} of <code>{route}</code>{" "}
          </span>
        ))}
      </Missing>
      <Missing n={navigations.missing} isClosed={isClosed} what="navigation">
        {navigations.examples.map(({ id, route, name }) => (
          <span key={id}>
            <code>{route}</code> to <code>{name}</code>{" "}
          </span>
        ))}
      </Missing>
      {submissions.running > 0 && <span className="limit">{many(submissions.running, "action")} still running</span>}
      {onTheirWay > 0 && <span className="limit">{short(onTheirWay)} on their way, in the outbox of a server</span>}
      {declared > 0 && <span className="limit">{short(declared)} not recorded: the outbox was full</span>}
      {leftOut.map(({ rule, n }) => (
        <span key={rule} className="limit">
          {many(n, "error")} left out by {rule}
        </span>
      ))}
    </>
  );
}

interface MissingProps {
  n: number;
  isClosed: boolean;
  what: string;
  children: ReactNode;
}

/** What one side has and the other has not. */
function Missing({ n, isClosed, what, children }: MissingProps) {
  if (n === 0) return null;
  return (
    <div className={isClosed ? "bad" : undefined}>
      {isClosed ? `▲ ${many(n, what)} lost` : `${many(n, what)} being looked for`}: {children}
    </div>
  );
}
