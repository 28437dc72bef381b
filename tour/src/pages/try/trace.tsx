import { Link } from "holdfast";

export default function Trace({ data }: PageProps<"/try/trace">) {
  return (
    <div className="card stack">
      <p className="buttons">
        <Link className="button primary" to="/try/trace" search={{ again: data.next }} prefetch="none">
          Ask once more
        </Link>
      </p>
      <h2>What the request brought along</h2>
      {data.headers.length === 0 ? (
        <p className="muted">Nothing: a document begins its trace on the server. Ask once more, in the browser.</p>
      ) : (
        <dl className="carried">
          {data.headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p>
        The load of this page counts {data.orders} orders in a span of its own. The link in the panel below leads to the
        whole way: click, request, match, load, that span, and the page on the screen.
      </p>
    </div>
  );
}
