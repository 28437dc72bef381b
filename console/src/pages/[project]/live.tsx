import { href, Link } from "holdfast";
import { useEffect, useRef, useState } from "react";
import { useAlive } from "../../parts/alive.ts";
import { many } from "../../parts/charts/numbers.ts";
import { Problems } from "../../parts/keys-and-search/problems.tsx";
import { foldLines } from "../../parts/live/fold-lines.ts";
import { exactTime, TimeAgo, useExact } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/live">;
type Line = Props["data"]["lines"][number];
type People = Pick<Props["data"], "visitors" | "now">;
/** Returns whether the new lines are shown. */
type Take = (lines: Line[], people: People | undefined) => boolean;

/** Shows a record within a second of its arrival. More frequent requests would only cost. */
const askEveryMs = 1_000;
/** Older lines are in the lists. */
const mostLines = 500;

/** Events, page views and logs as they arrive, of all visitors or of one. */
export default function Live({ data, params: { project } }: Props) {
  return (
    <main>
      <title>Live · Holdfast</title>
      <meta name="description" content="What comes in, as it comes." />
      <Stream
        key={`${data.filter} ${data.visitor?.id} ${data.after} ${data.environment}`}
        data={data}
        project={project}
      />
    </main>
  );
}

/** While paused or scrolled down, it only counts new lines, so that rows never move under the reader. */
function Stream({ data, project }: { data: Props["data"]; project: string }) {
  const alive = useAlive();
  const exact = useExact();
  const [isPaused, setPaused] = useState(false);
  const [lines, setLines] = useState<readonly Line[]>(data.lines);
  const [people, setPeople] = useState<People>(data);
  const waiting = useNews(project, data, (news, present) => {
    if (isPaused || window.scrollY > 40) return false;
    setLines((before) => [...news, ...before].slice(0, mostLines));
    // The list does not move while a visitor is being chosen.
    if (present && !document.querySelector(".visitors:is(:hover, :focus-within)")) setPeople(present);
    return true;
  });
  const rows = foldLines(lines);
  return (
    <>
      <div className="title-line">
        <h1>Live</h1>
        <form className="asks one-line">
          <label>
            <span className="unseen">Filter</span>
            <input
              type="search"
              name="q"
              defaultValue={data.filter}
              placeholder="Words, route:/cart*, kind:error, -kind:log"
            />
          </label>
          {data.visitor && <input type="hidden" name="visitor" value={data.visitor.id} />}
          <button type="submit">Filter</button>
        </form>
        {alive ? (
          <button type="button" onClick={() => setPaused(!isPaused)} aria-pressed={isPaused} data-key="p">
            {isPaused ? "Resume" : "Pause"} <kbd>p</kbd>
          </button>
        ) : (
          <a className="button" href={addressOf(project, { filter: data.filter, visitor: data.visitor?.id })}>
            Refresh
          </a>
        )}
      </div>
      {waiting > 0 && (
        <p className="floats news" role="status">
          {many(waiting, "new line")}
          <button
            type="button"
            className="quiet"
            onClick={() => {
              setPaused(false);
              window.scrollTo({ top: 0 });
            }}
          >
            Show
          </button>
        </p>
      )}
      <Problems of={data.problems} />
      <Watched data={data} project={project} />
      <div className="beside">
        <Visitors people={people} data={data} project={project} />
        {lines.length === 0 ? (
          <Nothing data={data} />
        ) : (
          <ol className="steps live">
            {rows.map((line, place) => {
              const time = exact(line.at);
              const day = time.slice(0, 10);
              // The newest rows are of today, unless nothing has come today.
              const isNewDay = day !== exact(rows[place - 1]?.at ?? data.now).slice(0, 10);
              return (
                <li key={line.id} data-row="" className={line.fails ? "fails" : undefined}>
                  {isNewDay && <strong className="day">{day}</strong>}
                  <time dateTime={new Date(line.at).toISOString()} title={exactTime(line.at)}>
                    {time.slice(11, 19)}
                  </time>
                  <span className="kind">{line.kind}</span>
                  <What line={line} project={project} />
                </li>
              );
            })}
          </ol>
        )}
      </div>
    </>
  );
}

function Nothing({ data }: { data: Props["data"] }) {
  const isNarrowed = data.filter !== "" || data.visitor !== undefined;
  return (
    <div className="empty">
      <h2>{isNarrowed ? "Nothing that fits has come in yet" : "Nothing has come in yet"}</h2>
      <p>
        {data.visitor
          ? "This visitor has done nothing in the last day that fits."
          : "Open a page of the application; its view appears here."}
      </p>
    </div>
  );
}

/** Who is being watched, and what of it is shown. */
function Watched({ data: { visitor, filter }, project }: { data: Props["data"]; project: string }) {
  return (
    <p>
      {visitor ? (
        <>
          Only{" "}
          <Link to="/[project]/visitors/[id]" params={{ project, id: visitor.id }}>
            {visitor.name}
          </Link>
          . <a href={addressOf(project, { filter })}>Show everybody</a>
        </>
      ) : (
        "All visitors."
      )}
      {filter && (
        <>
          {" "}
          Only what fits “{filter}”. <a href={addressOf(project, { filter: "", visitor: visitor?.id })}>Clear</a>
        </>
      )}{" "}
      <span className="second">In the order of arrival, newest first.</span>
    </p>
  );
}

/** Recent visitors. Each links to their own records. State is in the address, so that it can be shared. */
function Visitors({ people, data, project }: { people: People; data: Props["data"]; project: string }) {
  return (
    <aside className="visitors" aria-labelledby="visitors">
      <h2 id="visitors">Visitors lately</h2>
      {people.visitors.length === 0 ? (
        <p className="second">Nobody yet. Visitors are told apart by the user or the session that a report names.</p>
      ) : (
        <ul className="plain">
          {people.visitors.map(({ id, name, last, at, trouble, rest }) => (
            <li key={id}>
              <a
                href={addressOf(project, { filter: data.filter, visitor: id })}
                aria-current={id === data.visitor?.id ? "true" : undefined}
              >
                <strong>{name}</strong>
                <TimeAgo at={at} now={people.now} />
                <span>{last}</span>
                <span className="problem">{trouble}</span>
                <span className="second">{rest}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </aside>
  );
}

function addressOf(project: string, { filter, visitor }: { filter: string; visitor?: string | undefined }): string {
  return href("/[project]/live", { project }, { q: filter || undefined, visitor: visitor || undefined });
}

/** A view is identified by its route, everything else by its text. */
function What({ line, project }: { line: Line & { times: number }; project: string }) {
  const { text, route, leads, isView, times } = line;
  const first = isView ? route : text;
  return (
    <span className="breaks">
      {leads ? <a href={`${href("/[project]", { project })}/${leads}`}>{first}</a> : first}{" "}
      {times > 1 && <b>× {times}</b>} <span className="second">{isView ? text : route}</span>
    </span>
  );
}

/** Requests new lines while the page is visible. Lines that are not shown at once wait. Returns their number. */
function useNews(
  project: string,
  { filter, visitor: who, after, environment = "" }: Props["data"],
  take: Take,
): number {
  const visitor = who?.id;
  const [waiting, setWaiting] = useState<readonly Line[]>([]);
  const latest = useRef({ after, take, waiting });
  latest.current.take = take;
  useEffect(() => {
    const ask = async (): Promise<void> => {
      const now = latest.current;
      const search = new URLSearchParams({
        q: filter,
        environment,
        ...(visitor && { visitor }),
        ...(now.after !== undefined && { after: String(now.after) }),
      });
      const answer = await fetch(href("/[project]/live/news.json", { project }, search));
      if (!answer.ok) return;
      const news: { lines: Line[]; after?: number } & Partial<People> = await answer.json();
      now.after = news.after;
      const all = [...news.lines, ...now.waiting].slice(0, mostLines);
      const isNews = all.length > 0 || news.visitors !== undefined;
      now.waiting = isNews && now.take(all, isPresent(news) ? news : undefined) ? [] : all;
      setWaiting(now.waiting);
    };
    let asking = false;
    const clock = setInterval(() => {
      if (asking || document.visibilityState !== "visible") return;
      asking = true;
      // Without a connection there are no new events. The next turn requests again.
      ask()
        .catch(() => undefined)
        .finally(() => {
          asking = false;
        });
    }, askEveryMs);
    return () => clearInterval(clock);
  }, [project, filter, visitor, environment]);
  return waiting.length;
}

/** Whether the response contains the recent visitors. */
function isPresent(news: Partial<People>): news is People {
  return news.visitors !== undefined && news.now !== undefined;
}
