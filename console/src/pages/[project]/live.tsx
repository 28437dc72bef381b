import { useEffect, useRef, useState } from "react";
import { useAlive } from "../../parts/alive.ts";
import { exactTime } from "../../parts/moment.tsx";
import { many } from "../../parts/numbers.ts";

type Props = PageProps<"/_holdfast/[project]/live">;
type Line = Props["data"]["lines"][number];

/** Something is looked at within a second of its arrival; more often would only cost. */
const askEveryMs = 1_000;
/** What fell out of sight long ago is in the lists. */
const mostLines = 500;

/** Events, page views and logs as they come. */
export default function Live({ data, params: { project } }: Props) {
  return (
    <main>
      <title>Live · Holdfast</title>
      <meta name="description" content="What comes in, as it comes." />
      <h1>Live</h1>
      <Stream key={`${data.filter} ${data.after}`} data={data} project={project} />
    </main>
  );
}

/** Paused or scrolled down it stands still: what comes meanwhile is counted, and rows never move under the reader. */
function Stream({ data, project }: { data: Props["data"]; project: string }) {
  const alive = useAlive();
  const [isPaused, setPaused] = useState(false);
  const [lines, setLines] = useState<readonly Line[]>(data.lines);
  const waiting = useNews(project, data, (news) => {
    if (isPaused || window.scrollY > 40) return false;
    setLines((before) => [...news, ...before].slice(0, mostLines));
    return true;
  });
  return (
    <>
      <div className="title-line">
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
          <button type="submit">Filter</button>
        </form>
        {alive ? (
          <button type="button" onClick={() => setPaused(!isPaused)} aria-pressed={isPaused} data-key="p">
            {isPaused ? "Go on" : "Pause"} <kbd>p</kbd>
          </button>
        ) : (
          <a className="button" href={`/_holdfast/${project}/live?${new URLSearchParams({ q: data.filter })}`}>
            Look again
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
      {lines.length === 0 ? (
        <div className="empty">
          <h2>{data.filter === "" ? "Nothing has come in yet" : "Nothing that fits has come in yet"}</h2>
          <p>Open a page of the application; its view appears here.</p>
        </div>
      ) : (
        <ol className="steps live">
          {lines.map((line) => (
            <li key={line.id} data-row="" className={line.fails ? "fails" : undefined}>
              <time dateTime={new Date(line.at).toISOString()} title={exactTime(line.at)}>
                {exactTime(line.at).slice(11, 19)}
              </time>
              <span className="kind">{line.kind}</span>
              <What line={line} project={project} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** A view is known by its route, everything else by what it says. */
function What({ line: { text, route, leads, kind }, project }: { line: Line; project: string }) {
  const isView = route !== undefined && leads?.startsWith("traces/") === true && !kind.startsWith("log");
  const [first, second] = isView ? [route, text] : [text, route];
  return (
    <span className="breaks">
      {leads ? <a href={`/_holdfast/${project}/${leads}`}>{first}</a> : first}{" "}
      {second && <span className="second">{second}</span>}
    </span>
  );
}

/** Asks for what has come since, while somebody looks. What is not taken at once waits; answers how much does. */
function useNews(project: string, { filter, after }: Props["data"], take: (lines: Line[]) => boolean): number {
  const [waiting, setWaiting] = useState<readonly Line[]>([]);
  const latest = useRef({ after, take, waiting });
  latest.current.take = take;
  useEffect(() => {
    const ask = async (): Promise<void> => {
      const now = latest.current;
      const search = new URLSearchParams({ q: filter, ...(now.after !== undefined && { after: String(now.after) }) });
      const answer = await fetch(`/_holdfast/${project}/live/news.json?${search}`);
      if (!answer.ok) return;
      const news: { lines: Line[]; after?: number } = await answer.json();
      now.after = news.after;
      const all = [...news.lines, ...now.waiting].slice(0, mostLines);
      now.waiting = all.length > 0 && now.take(all) ? [] : all;
      setWaiting(now.waiting);
    };
    let asking = false;
    const clock = setInterval(() => {
      if (asking || document.visibilityState !== "visible") return;
      asking = true;
      // Without a connection there is no news; the next turn asks again.
      ask()
        .catch(() => undefined)
        .finally(() => {
          asking = false;
        });
    }, askEveryMs);
    return () => clearInterval(clock);
  }, [project, filter]);
  return waiting.length;
}
