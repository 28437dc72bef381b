import { revalidate } from "holdfast";
import { useEffect, useState } from "react";
import { useAlive } from "../../parts/alive.ts";
import { exactTime } from "../../parts/moment.tsx";

/** An event is looked at within a second of its arrival; more often would only cost. */
const askEveryMs = 1_000;

/** Events, page views and logs as they come. Scrolled down it stands still: rows never move under the reader. */
export default function Live({ data, params: { project } }: PageProps<"/_holdfast/[project]/live">) {
  const [isPaused, setPaused] = useState(false);
  const alive = useAlive();
  useEffect(() => {
    if (isPaused) return;
    const asking = setInterval(() => {
      if (document.visibilityState === "visible" && window.scrollY < 40) void revalidate();
    }, askEveryMs);
    return () => clearInterval(asking);
  }, [isPaused]);
  return (
    <main>
      <title>Live · Holdfast</title>
      <div className="title-line">
        <h1>Live</h1>
        {alive ? (
          <button type="button" onClick={() => setPaused(!isPaused)} aria-pressed={isPaused}>
            {isPaused ? "Go on" : "Pause"}
          </button>
        ) : (
          <a className="button" href={`/_holdfast/${project}/live`}>
            Look again
          </a>
        )}
      </div>
      {data.records.length === 0 ? (
        <div className="empty">
          <h2>Nothing has come in yet</h2>
          <p>Open a page of the application; its view appears here.</p>
        </div>
      ) : (
        <ol className="steps live">
          {data.records.map(({ rowId, at, kind, text, route, leads }) => (
            <li key={rowId} data-row="" className={kind === "error" || kind === "fatal" ? "fails" : undefined}>
              <time dateTime={new Date(at).toISOString()}>{exactTime(at).slice(11, 19)}</time>
              <span className="kind">{kind}</span>
              <span className="breaks">
                {leads ? <a href={`/_holdfast/${project}/${leads}`}>{text}</a> : text}{" "}
                {route && <span className="second">{route}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </main>
  );
}
