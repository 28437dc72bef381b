import { Link } from "holdfast";

export default function Ferry({ data: { words, ferry } }: PageProps<"/languages/[ferry]">) {
  return (
    <main className="stack">
      <title>{`${ferry.name} – ${words.title}`}</title>
      <meta name="description" content={ferry.text} />
      <h1>{ferry.name}</h1>
      <p>{ferry.text}</p>
      <dl className="card timetable">
        <dt>{words.departs}</dt>
        <dd>{ferry.departs}</dd>
        <dt>{words.takes}</dt>
        <dd>{ferry.takes}</dd>
        <dt>{words.fare}</dt>
        <dd>{ferry.fare}</dd>
      </dl>
      <p>{ferry.free}</p>
      <p className="buttons">
        <Link className="button" to="/languages">
          {words.all}
        </Link>
      </p>
    </main>
  );
}
