import { Link, useInfiniteList, useSorting } from "holdfast";
import { useVisibleRows } from "../../try/use-visible-rows.ts";

const columns = [
  ["number", "Part"],
  ["name", "Name"],
  ["grams", "Grams"],
] as const;

export default function Parts({ data, search }: PageProps<"/try/list">) {
  const sorted = useSorting("/try/list");
  const { rows, more, state, retry } = useInfiniteList("/try/list", {
    rows: ({ parts }) => parts,
    key: ({ number }) => number,
    next: ({ isLast }, { page }) => (isLast ? undefined : { page: page + 1 }),
    pages: 100,
  });
  const { box, from, to, above, below } = useVisibleRows(rows.length);
  return (
    <div className="card stack">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <div {...box} className="parts" data-scroll-key="parts" tabIndex={0} key={search.sort}>
        <table aria-label="Parts" aria-rowcount={data.total + 1} aria-busy={state === "loading"}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map(([column, title]) => {
                const { link, ...cell } = sorted(column);
                return (
                  <th key={column} {...cell}>
                    <a {...link} data-scroll="keep">
                      {title}
                    </a>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {above > 0 && <tr style={{ height: above }} />}
            {rows.slice(from, to).map(({ number, name, grams }, at) => (
              <tr key={number} aria-rowindex={from + at + 2}>
                <td>{number}</td>
                <td>
                  <Link to="/try/shelf/[item]" params={{ item: number }}>
                    {name}
                  </Link>
                </td>
                <td>{grams}</td>
              </tr>
            ))}
            {below > 0 && <tr style={{ height: below }} />}
          </tbody>
        </table>
        <p className="part-end">
          {more && <a {...more}>More parts</a>}
          {state === "failed" && (
            <button type="button" className="button" onClick={retry}>
              Try again
            </button>
          )}
          {state === "ended" && `All ${data.total} parts.`}
        </p>
      </div>
      <p className="muted" aria-live="polite">
        {rows.length} of {data.total} parts are loaded.
      </p>
    </div>
  );
}
