import { Link } from "holdfast";

export default function Departures({ data: { words, ferries } }: PageProps<"/languages">) {
  return (
    <main className="stack">
      <title>{`${words.title} – Holdfast`}</title>
      <meta name="description" content={words.lead} />
      <header className="stack">
        <h1>{words.title}</h1>
        <p className="muted">{words.lead}</p>
      </header>
      <ul className="departures">
        {ferries.map(({ id, name, departs, fare, free }) => (
          <li key={id} className="card">
            <p className="departure-time">{departs}</p>
            <h2>
              <Link to="/languages/[ferry]" params={{ ferry: id }}>
                {name}
              </Link>
            </h2>
            <p>
              {fare} · {free}
            </p>
          </li>
        ))}
      </ul>
      <section className="stack">
        <h2>{words.mishaps}</h2>
        <p className="buttons">
          <Link className="button" to="/languages/[ferry]" params={{ ferry: "nowhere" }} prefetch="none">
            {words.missing}
          </Link>
          <Link className="button" to="/languages/[ferry]" params={{ ferry: "storm" }} prefetch="none">
            {words.failing}
          </Link>
        </p>
      </section>
    </main>
  );
}
