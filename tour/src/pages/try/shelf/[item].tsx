export default function Item({ data }: PageProps<"/try/shelf/[item]">) {
  return (
    <>
      <title>{`Item ${data.item} – Holdfast`}</title>
      <header>
        <h1>Item {data.item}</h1>
        <p>
          The server made this page at{" "}
          <time dateTime={data.madeAt.toISOString()}>{data.madeAt.toISOString().slice(11, 19)} UTC</time> and took 600
          ms for it.
        </p>
        <p className="muted">
          {data.ahead
            ? "The request said Purpose: prefetch, so it was made before your click."
            : "The request did not say Purpose: prefetch, so it was made for you to see the page."}
        </p>
      </header>
      <p>
        <a href="/try/prefetch">Back to the shelf</a>
      </p>
    </>
  );
}
