const lines = Array.from({ length: 60 }, (_, index) => index + 1);

export default function History() {
  return (
    <div className="card stack">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <ol className="box" tabIndex={0} aria-label="A box that scrolls by itself">
        {lines.map((line) => (
          <li key={line}>
            <a href={`/try/orders/${7 + (line % 3)}`}>Line {line} leads to an order</a>
          </li>
        ))}
      </ol>
      <p>Scroll on: there is a link at the end of the page.</p>
      <div className="tall" aria-hidden="true" />
      <p>
        <a href="/try/orders/8">Far down, order 8</a>
      </p>
    </div>
  );
}
