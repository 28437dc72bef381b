import { Link, usePage } from "holdfast";
import { useEffect, useState } from "react";

export default function Clicks() {
  const { search } = usePage();
  return (
    <div className="card stack">
      <Age key={search} />
      <h2>Ours: the document stays</h2>
      <ul className="plain-list">
        <li>
          <a href="/try/clicks?by=a">A plain link</a>, as any template writes it
        </li>
        <li>
          <Link to="/try/clicks" search={{ by: "Link" }}>
            A Link
          </Link>
          , whose address the compiler has checked
        </li>
      </ul>
      <h2>The browser’s: it does what it always did</h2>
      <ul className="plain-list">
        <li>
          Either of them with <kbd>Ctrl</kbd>, <kbd>⌘</kbd> or <kbd>Shift</kbd>, or with the middle button
        </li>
        <li>
          <a href="/try/clicks?by=hard" data-hard="">
            A link marked <code>data-hard</code>
          </a>
        </li>
        <li>
          <a href="/try/clicks?by=target" target="_blank" rel="noopener">
            A link with a target of its own
          </a>
        </li>
        <li>
          <a href="/try/report" download="orders.csv">
            A link that downloads
          </a>
        </li>
        <li>
          <a href="#panels">A link inside this page</a>
        </li>
        <li>
          <a href="https://react.dev/" rel="noreferrer">
            A link to another site
          </a>
        </li>
      </ul>
    </div>
  );
}

/** Age of the document: a client-side navigation keeps it running, a full page load starts at zero. */
function Age() {
  const [seconds, setSeconds] = useState<number>();
  useEffect(() => {
    const update = () => setSeconds(Math.floor(performance.now() / 1000));
    update();
    const timer = setInterval(update, 1_000);
    return () => clearInterval(timer);
  }, []);
  if (seconds === undefined) return <p className="muted">Without JavaScript every click is the browser’s.</p>;
  return (
    <p>
      This document is <strong>{seconds} s</strong> old.
    </p>
  );
}
