import { href, useInfiniteList } from "holdfast";
import { useAddress } from "../../parts/address.ts";
import { Problems } from "../../parts/keys-and-search/problems.tsx";
import { LevelChart } from "../../parts/logs/level-chart.tsx";
import { LogLine } from "../../parts/logs/log-line.tsx";
import { SearchLine } from "../../parts/logs/search-line.tsx";
import { ExactTime, useExact } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/logs">;

/** Lines of logs, newest first, by the filter language. */
export default function Logs({ data, params: { project } }: Props) {
  const address = useAddress();
  const { drawing } = data;
  return (
    <main>
      <title>Logs · Holdfast</title>
      <meta name="description" content="What the application has written, with its traces." />
      <SearchLine
        title="Logs"
        data={data}
        placeholder="Words, level:error, release:1.4*, trace:…, order.id:42"
        links={
          <a className="button" href={address({ after: undefined }, href("/[project]/logs/lines.ndjson", { project }))}>
            Export
          </a>
        }
      />
      <Problems of={data.problems} />
      {drawing && drawing.total > 0 && (
        <LevelChart drawing={drawing} hrefOf={(from) => address(timesOf(from, drawing.barMs))} />
      )}
      {data.countedFrom !== undefined && (
        <p className="second">
          The bars count lines since <ExactTime at={data.countedFrom} />.
        </p>
      )}
      <Lines key={data.asked} data={data} />
    </main>
  );
}

/** The address of a bar: no more than its own time. */
function timesOf(from: number, lengthMs: number): Record<string, string | undefined> {
  const text = (at: number): string => new Date(at).toISOString().slice(0, 19);
  return { from: text(from), to: text(from + lengthMs), days: undefined, after: undefined };
}

function Lines({ data }: { data: Props["data"] }) {
  const exact = useExact();
  const { rows, more, state, retry, feed, item } = useInfiniteList("/[project]/logs", {
    rows: ({ lines }) => lines,
    key: ({ id }) => id,
    next: ({ next }) => (next === undefined ? undefined : { after: next }),
  });
  if (rows.length === 0 && more === undefined) return <Nothing data={data} />;
  return (
    <>
      <div {...feed} className="steps live log-lines">
        {rows.map((line, place) => {
          const day = exact(line.at).slice(0, 10);
          const isNewDay = day !== exact(rows[place - 1]?.at ?? data.now).slice(0, 10);
          return (
            <article key={line.id} {...item(place)} aria-label={line.body.slice(0, 80)}>
              {isNewDay && <strong className="day">{day}</strong>}
              <LogLine line={line} />
            </article>
          );
        })}
      </div>
      {data.searchedFrom !== undefined && rows.length === 0 && (
        <p>
          Nothing was found since <ExactTime at={data.searchedFrom} />.
        </p>
      )}
      <p className="paging">
        {more && <a {...more}>{state === "loading" ? "Searching older lines …" : "Older lines"}</a>}
        {state === "failed" && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      </p>
    </>
  );
}

function Nothing({ data }: { data: Props["data"] }) {
  const address = useAddress();
  const isNarrowed = data.typed !== "" || data.chosen !== undefined;
  return (
    <div className="empty">
      <h2>{isNarrowed ? "No matching lines" : "No lines in this time"}</h2>
      {isNarrowed ? (
        <p>
          <a href={address({ q: undefined, from: undefined, to: undefined, after: undefined })}>Show all lines</a>
        </p>
      ) : (
        <p>Lines that the application writes with a reporting client appear here. Choose a longer time to see older.</p>
      )}
    </div>
  );
}
