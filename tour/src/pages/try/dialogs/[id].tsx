import { Link, useDialog } from "holdfast";

export default function OrderInDialog({ data, params: { id } }: PageProps<"/try/dialogs/[id]">) {
  const dialog = useDialog();
  const next = id === "9" ? "7" : `${Number(id) + 1}`;
  return (
    <article className="stack">
      {dialog && <title>{`Order ${id} – Holdfast`}</title>}
      <h2 data-page-focus="">Order {id}</h2>
      <p>{data.customer}</p>
      <ul>
        {[...data.items].map(([name, count]) => (
          <li key={name}>
            {count} × {name}
          </li>
        ))}
      </ul>
      <p className="buttons">
        {dialog ? (
          <button type="button" className="button" onClick={dialog.close}>
            Close
          </button>
        ) : (
          <Link className="button" to="/try/dialogs">
            All orders
          </Link>
        )}
        <Link className="button" to="/try/dialogs/[id]" params={{ id: next }} dialog>
          Order {next}
        </Link>
      </p>
    </article>
  );
}
