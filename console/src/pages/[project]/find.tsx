import { useRevalidate } from "holdfast";
import { exactTime } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/find">;
type Searched = Exclude<Props["data"]["searched"], false>;

/** What was found where a text has several meanings, and what was searched where it has none. */
export default function Found({ data }: Props) {
  const { typed, things, issues, searched } = data;
  return (
    <main>
      <title>{`${typed} · Search · Holdfast`}</title>
      <meta name="description" content="What the search box found." />
      <h1 className="breaks">
        {searched ? `No event has the digest or id ${typed.trim()}` : `Found for “${typed.trim()}”`}
      </h1>
      {searched && <Where searched={searched} />}
      {things.length > 0 && (
        <ul className="plain found">
          {things.map(({ to, text, hint }) => (
            <li key={to} data-row="">
              <a href={to} className="breaks">
                {text}
              </a>{" "}
              <span className="second">{hint}</span>
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={issues}>All issues with this text</a>
      </p>
    </main>
  );
}

/** The customer may have read out the digest before the event arrived, for example from a phone without network. */
const askAgainMs = 5_000;

function Where({ searched: { projects, since } }: { searched: Searched }) {
  useRevalidate({ every: askAgainMs });
  return (
    <>
      <p>
        Searched in {projects.length === 1 ? "the project" : `all ${projects.length} projects that you may see:`}{" "}
        {projects.join(", ")}
        {since === undefined
          ? ". No event is stored yet."
          : `; in all events since ${exactTime(since).slice(0, 10)}, from when on they are kept.`}
      </p>
      <p className="second">
        A digest has twelve letters and digits, without I, L, O and U; one that was read aloud may have a letter wrong.
        Older events are deleted, and another service may have received it.
      </p>
      <p className="second">An event on its way opens here when it arrives.</p>
    </>
  );
}
