import { href, usePage } from "holdfast";

export default function NotFound() {
  const { path } = usePage();
  return (
    <main className="lonely">
      <title>Not found · Holdfast</title>
      <meta name="robots" content="noindex" />
      <h1>There is nothing here</h1>
      <p>
        Nothing is known under <code>{path}</code>, or it belongs to a project that you cannot see.
      </p>
      <p>
        <a href={href("/")}>To the console</a>
      </p>
    </main>
  );
}
