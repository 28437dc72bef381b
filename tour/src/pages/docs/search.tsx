export default function Search({ data: { asked, hits } }: PageProps<"/docs/search">) {
  return (
    <article className="prose">
      <title>Search – Holdfast</title>
      <meta name="robots" content="noindex" />
      <h1>{asked === "" ? "Search" : `“${asked}”`}</h1>
      {asked === "" && <p>Ask with one word or several; a section is found when it has all of them.</p>}
      {asked !== "" && hits.length === 0 && (
        <p>
          Nothing has all of these words. Try fewer, or look through <a href="/docs">the contents</a>.
        </p>
      )}
      <ol className="hits">
        {hits.map(({ to, guide, heading, excerpt }) => (
          <li key={to}>
            <a href={to}>{heading}</a>
            {heading !== guide && <span className="muted small"> in {guide}</span>}
            <p>{excerpt.map((words, index) => (index % 2 === 0 ? words : <mark key={String(index)}>{words}</mark>))}</p>
          </li>
        ))}
      </ol>
    </article>
  );
}
