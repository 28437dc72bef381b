import { href, Link } from "holdfast";
import { useAddress } from "../../../parts/address.ts";
import { milliseconds, percent, short } from "../../../parts/charts/numbers.ts";
import { Trend } from "../../../parts/charts/trend.tsx";
import { vitalWords } from "../../../parts/charts/vital-words.ts";
import { ReleaseLink } from "../../../parts/release/release-link.tsx";
import { shownRelease } from "../../../parts/release/release-name.ts";
import { usualDaysOfTrend } from "../../../parts/time/day-choices.ts";
import { DayRange } from "../../../parts/time/day-range.tsx";
import { ExactTime } from "../../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/pages/route">;
type Data = Props["data"];
type Change = Data["errors"]["change"];

const names = {
  pageload: "Load",
  navigation: "Navigation",
  request: "Server time",
  lcp: `${vitalWords.lcp} (LCP)`,
  inp: `${vitalWords.inp} (INP)`,
  cls: `${vitalWords.cls} (CLS)`,
  fcp: `${vitalWords.fcp} (FCP)`,
  ttfb: `${vitalWords.ttfb} (TTFB)`,
} as const;

const kinds = { pageload: "page load", navigation: "navigation", request: "server", task: "task" } as const;

/** One route: how its times, vitals and errors developed, since when they are others, and examples of slow views. */
export default function RoutePage({ data, params: { project } }: Props) {
  const { route, worst } = data;
  const address = useAddress();
  const examples = (measure: string): string => `${address({ measure, around: undefined })}#examples`;
  return (
    <main>
      <title>{`${route} · Holdfast`}</title>
      <meta name="description" content={`How ${route} developed, and since which release it is another.`} />
      <header>
        <p className="over-title">
          <Link to="/[project]/pages" params={{ project }}>
            Pages
          </Link>
        </p>
        <div className="title-line">
          <h1 className="breaks">
            {worst ? (
              <>
                <code>{route}</code> {finding(worst.measure, worst.change)}{" "}
                <Since change={worst.change} project={project} />
              </>
            ) : (
              <>
                <code>{route}</code> is as it was
              </>
            )}
          </h1>
          <DayRange days={data.days} usual={usualDaysOfTrend} />
        </div>
        <p className="second">
          <a href={examples("views")}>{short(data.views)} views</a>.{" "}
          <Link to="/[project]/issues" params={{ project }} search={{ q: `route:${JSON.stringify(route)}` }}>
            Its issues
          </Link>
        </p>
        {data.healed && <Healed healed={data.healed} project={project} />}
      </header>
      <div className="trends">
        {data.measures.map(({ measure, whole, change, line }) => {
          const write = measure === "cls" ? share : milliseconds;
          return (
            <Trend
              key={measure}
              name={names[measure]}
              value={write(whole.p75)}
              href={examples(measure)}
              line={line}
              marks={data.marks}
              write={write}
            >
              <ChangeNote change={change} write={write} words={["slower", "quicker"]} project={project} />
            </Trend>
          );
        })}
        <Trend
          name="Errors"
          value={short(data.errors.total)}
          href={href("/[project]/issues", { project }, { q: `route:${JSON.stringify(route)}`, tab: "all" })}
          line={data.errors.line}
          marks={data.marks}
          write={short}
        >
          <ChangeNote
            change={data.errors.change}
            write={ofViews}
            words={["more often", "less often"]}
            project={project}
          />
        </Trend>
        {data.fullLoads.total > 0 && (
          <Trend
            name="Full loads"
            value={short(data.fullLoads.total)}
            href={examples("pageload")}
            line={data.fullLoads.line}
            marks={data.marks}
            write={short}
          >
            <ChangeNote
              change={data.fullLoads.change}
              write={ofViews}
              words={["more often", "less often"]}
              project={project}
            />
          </Trend>
        )}
      </div>
      <Examples of={data.examples} project={project} />
    </main>
  );
}

/** Which build answers it, where that is not as usual. */
function Healed({ healed, project }: { healed: NonNullable<Data["healed"]>; project: string }) {
  const { state, on = healed.release, release, since, why, issue } = healed;
  return (
    <p>
      <strong>{on === release ? "It fails" : "It runs"}</strong> on <ReleaseLink project={project} name={on} />
      {on !== release && (
        <>
          {" "}
          instead of <ReleaseLink project={project} name={release} />
        </>
      )}{" "}
      since <ExactTime at={since} /> ({state}). {why}{" "}
      {issue !== undefined && (
        <Link to="/[project]/issues/[number]" params={{ project, number: String(issue) }}>
          Issue #{issue}
        </Link>
      )}
    </p>
  );
}

const share = (n: number): string => n.toFixed(3);
/** Of sampled views there may be fewer than errors. */
const ofViews = (n: number): string =>
  n > 1 ? `${n.toFixed(1)} for each view` : `${percent(n, n > 0 && n < 0.1 ? 1 : 0)} of views`;

function times(n: number): string {
  return `${n >= 10 ? Math.round(n) : n.toFixed(1).replace(/\.0$/, "")} ×`;
}

function finding(measure: NonNullable<Data["worst"]>["measure"], { times: n }: NonNullable<Change>): string {
  if (measure === "errors") return n === undefined ? "fails" : `fails ${times(n)} as often`;
  if (measure === "full-loads") return n === undefined ? "is loaded whole" : `is loaded whole ${times(n)} as often`;
  return `is ${times(n ?? 1)} slower (${names[measure]})`;
}

function Since({ change, project }: { change: NonNullable<Change>; project: string }) {
  return change.release === undefined ? (
    <>
      since <ExactTime at={change.since} />
    </>
  ) : (
    <>
      since <ReleaseLink project={project} name={change.release} />
    </>
  );
}

interface NoteProps {
  change: Change;
  write: (n: number) => string;
  words: readonly [worse: string, better: string];
  project: string;
}

/** What it was, what it is, and since when. */
function ChangeNote({ change, write, words: [worse, better], project }: NoteProps) {
  if (!change) return <p className="second">No lasting change</p>;
  const isWorse = (change.times ?? 2) > 1;
  const factor = change.times === undefined ? "" : `${times(isWorse ? change.times : 1 / change.times)} `;
  return (
    <p className={isWorse ? "worse" : "second"}>
      {factor}
      {isWorse ? worse : better} <Since change={change} project={project} />, {write(change.before)} →{" "}
      {write(change.after)}
    </p>
  );
}

function longest({ title, times: n, ms }: NonNullable<Data["examples"]["traces"][number]["slowest"]>): string {
  return `${milliseconds(ms)} in ${n > 1 ? `${n} × ` : ""}${title}`;
}

function Examples({ of, project }: { of: Data["examples"]; project: string }) {
  return (
    <section aria-labelledby="examples">
      <h2 id="examples">{of.title}</h2>
      <p className="second">
        {of.minMs !== undefined && `From ${milliseconds(of.minMs)} on. `}
        {of.since !== undefined && (
          <>
            Since <ExactTime at={of.since} />
            {of.release && ` with ${shownRelease(of.release)}`}.{" "}
          </>
        )}
        First those whose longest part explains most of their time.
      </p>
      {of.traces.length === 0 ? (
        <p className="second">None was sampled in this time.</p>
      ) : (
        <div className="wide">
          <table className="cards">
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Kind</th>
                <th scope="col" className="number">
                  Took
                </th>
                <th scope="col">Longest part</th>
                <th scope="col">Release</th>
                <th scope="col">Visitor</th>
              </tr>
            </thead>
            <tbody>
              {of.traces.map(({ traceId, spanId, kind, at, durationMs, status, release, visitor, slowest }) => (
                <tr key={spanId} data-row="">
                  <th scope="row">
                    <Link to="/[project]/traces/[id]" params={{ project, id: traceId }}>
                      <ExactTime at={at} />
                    </Link>
                  </th>
                  <td data-label="Kind">
                    {kinds[kind]} {status !== "ok" && <span className="state regressed">{status}</span>}
                  </td>
                  <td className="number" data-label="Took">
                    {milliseconds(durationMs)}
                  </td>
                  <td data-label="Longest">{slowest ? longest(slowest) : "–"}</td>
                  <td data-label="Release">{release ? <ReleaseLink project={project} name={release} /> : "–"}</td>
                  <td data-label="Visitor">
                    {visitor ? (
                      <Link to="/[project]/visitors/[id]" params={{ project, id: visitor.id }}>
                        {visitor.name}
                      </Link>
                    ) : (
                      "–"
                    )}
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
