import { usePage } from "holdfast";

export default function NoSuchOrder() {
  const { path } = usePage();
  return (
    <article>
      <h2>There is no such order</h2>
      <p>
        Nothing answers <code>{path}</code>; the status is 404.
      </p>
    </article>
  );
}
