import { usePage } from "holdfast";

export default function NotFound() {
  const { path } = usePage();
  return (
    <main>
      <title>Page not found</title>
      <h1>Page not found</h1>
      <p>
        There is nothing at <code>{path}</code>.
      </p>
      <div className="buttons">
        <a className="button first" href="/">
          All notes
        </a>
      </div>
    </main>
  );
}
