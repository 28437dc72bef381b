import { href, usePage } from "holdfast";

/** Inside the frame: its navigation and search are the ways on. */
export default function NotFound() {
  const { path, params } = usePage();
  const project = params.project ?? "";
  return (
    <main>
      <title>Not found · Holdfast</title>
      <meta name="robots" content="noindex" />
      <h1>There is nothing here</h1>
      <p>
        Nothing is known under <code className="breaks">{path}</code>. It may have been deleted, or is older than events
        are kept.
      </p>
      <p>
        <a href={href("/[project]/issues", { project })}>Issues</a> or{" "}
        <a href={href("/[project]", { project })}>Overview</a>
      </p>
    </main>
  );
}
