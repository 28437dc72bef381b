import { Link, usePage } from "holdfast";

const items = Array.from({ length: 40 }, (_, index) => String(index + 1));

export default function Shelf() {
  const { search } = usePage();
  const eager = search === "?when=seen";
  return (
    <div className="card stack">
      <p className="buttons">
        <Link className="button" to="/try/prefetch" aria-current={eager ? undefined : "true"}>
          Fetch on intent
        </Link>
        <Link className="button" to="/try/prefetch" search={{ when: "seen" }} aria-current={eager ? "true" : undefined}>
          Fetch when seen
        </Link>
      </p>
      <ul className="shelf">
        {items.map((item) => (
          <li key={item}>
            <Link to="/try/shelf/[item]" params={{ item }} prefetch={eager ? "viewport" : "intent"}>
              Item {item}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
