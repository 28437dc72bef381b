import { Form, Link } from "holdfast";
import { FaultSwitch } from "../../try/fault-switch.tsx";

export default function Ahead({ data, actions }: PageProps<"/try/ahead">) {
  return (
    <div className="card stack">
      <FaultSwitch
        choices={{
          "busy-prefetch": "The server is busy: 503, come back in 20 seconds",
          "failed-prefetch": "The next page fetched ahead fails",
        }}
      />
      <p className="buttons">
        {["41", "42", "43"].map((item) => (
          <Link key={item} className="button" to="/try/shelf/[item]" params={{ item }}>
            Rest on item {item}
          </Link>
        ))}
      </p>
      <Form action={actions.change} className="stack">
        <p className="buttons">
          <button className="button primary" type="submit">
            Change something
          </button>
          <span className="muted">
            Changed {data.changes} {data.changes === 1 ? "time" : "times"} since the tour was started
          </span>
        </p>
      </Form>
      <h2>Never fetched ahead</h2>
      <ul className="plain-list">
        <li>
          <a href="/try/report" download="orders.csv">
            A download
          </a>
        </li>
        <li>
          <a href="/try/shelf/44" target="_blank" rel="noopener">
            A page that opens in another tab
          </a>
        </li>
        <li>
          <Link to="/try/shelf/[item]" params={{ item: "45" }} prefetch="none">
            A link that says prefetch="none"
          </Link>
        </li>
        <li>
          <a href="#panels">A place on this page</a>
        </li>
      </ul>
    </div>
  );
}
