import { Blocks } from "../../parts/blocks.tsx";

export default function Guide({ data }: PageProps<"/docs/[guide]">) {
  return (
    <div className="guide">
      <title>{`${data.title} – Holdfast`}</title>
      <meta name="description" content={data.description} />
      <article className="prose">
        <Blocks blocks={data.blocks} />
        {data.next && (
          <p className="next">
            Next: <a href={`/docs/${data.next.name}`}>{data.next.title}</a>
          </p>
        )}
      </article>
      {data.sections.length > 1 && (
        <nav className="on-this-page" aria-label="On this page">
          <h2>On this page</h2>
          <ul>
            {data.sections.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}
