import { Link } from "holdfast";

export default function Home() {
  return (
    <>
      <h1>Hello</h1>
      <p>The same small application in every contender.</p>
      <ul>
        <li>
          <Link to="/items/7" id="cold" prefetch="none">
            Item 7, not prefetched
          </Link>
        </li>
        <li>
          <Link to="/items/8" id="warm">
            Item 8, prefetched
          </Link>
        </li>
      </ul>
    </>
  );
}
