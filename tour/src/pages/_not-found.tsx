import { usePage } from "holdfast";

export default function NotFound() {
  const { path, back } = usePage();
  return (
    <main className="plain-page">
      <title>Page not found – Holdfast</title>
      <meta name="robots" content="noindex" />
      <h1>Page not found</h1>
      <p>
        There is no page at <code>{path}</code>. The answer has status 404, as a document and as page data alike.
      </p>
      <nav className="buttons" aria-label="Ways out">
        <a className="button primary" href="/">
          Home
        </a>
        {back !== undefined && (
          <a className="button" href={back}>
            Back
          </a>
        )}
        <a className="button" href="/try">
          Everything to try
        </a>
        <a className="button" href="/docs">
          Documentation
        </a>
      </nav>
    </main>
  );
}
