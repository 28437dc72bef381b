import { Link } from "holdfast";
import { Fragment } from "react";
import { many, short } from "../../parts/charts/numbers.ts";
import { useExact } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/balance">;
type Data = Props["data"];
type Hour = Data["hours"][number];

/** Answers: is there an event for every error page that a visitor saw, and did the visitor get further? */
export default function Balance({ data, params: { project } }: Props) {
  return (
    <main>
      <title>Balance · Holdfast</title>
      <meta name="description" content="Error pages shown against events filed, hour by hour." />
      <header>
        <h1>
          {data.missing === 0 ? (
            "The books are level"
          ) : (
            <span className="bad">{many(data.missing, "error page")} without an event</span>
          )}
        </h1>
        <p className="second">
          Servers and browsers write down each error page they show. The events come another way. An hour is closed some
          minutes after its end; a difference is then an issue.
        </p>
      </header>
      <After after={data.after} />
      <table className="books">
        <thead>
          <tr>
            <th scope="col">Hour</th>
            <th scope="col" className="number">
              Error pages shown
            </th>
            <th scope="col" className="number">
              Events filed
            </th>
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
  return (
    <tr data-row="">
      <th scope="row">
        <span className="rare">{exact(hour.at).slice(0, 11)}</span>
        {exact(hour.at).slice(11, 16)}
      </th>
      <td className="number" data-label="Shown">
        {short(hour.shown)}
      </td>
      <td className="number" data-label="Filed">
        {short(hour.filed)}
      </td>
      <td>
        <Difference hour={hour} project={project} />
      </td>
    </tr>
  );
}

function Difference({ hour, project }: { hour: Hour; project: string }) {
  const { isClosed, shown, missing, declared, onTheirWay, examples, leftOut } = hour;
  const isLevel = missing + declared + onTheirWay === 0;
  return (
    <>
      {isLevel && <span className="second">{shown === 0 ? "–" : isClosed ? "✓ level" : "✓ level so far"}</span>}
      {missing > 0 && (
        <span className={isClosed ? "bad" : undefined}>
          {isClosed ? `▲ ${short(missing)} lost` : `${short(missing)} being looked for`}:{" "}
          {examples.map(({ digest, route }) => (
            <Fragment key={digest}>
              <Link to="/[project]/find" params={{ project }} search={{ q: digest }} title={route}>
                <code>{digest}</code>
              </Link>{" "}
            </Fragment>
          ))}
        </span>
      )}
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
