import { Link, useHistoryState } from "holdfast";

const orders = ["7", "8", "9"];

export default function Dialogs() {
  const [shown, setShown] = useHistoryState("shown", "list");
  return (
    <div className="card stack">
      <ul>
        {orders.map((id) => (
          <li key={id}>
            <Link to="/try/dialogs/[id]" params={{ id }} dialog>
              Order {id}
            </Link>
            {shown === "addresses" && (
              <>
                {" "}
                <code>/try/dialogs/{id}</code>
              </>
            )}
          </li>
        ))}
      </ul>
      <div className="field">
        <label htmlFor="remark">Typed into the page below</label>
        <input id="remark" type="text" />
      </div>
      <p className="buttons">
        <button
          type="button"
          className="button"
          onClick={() => setShown(shown === "list" ? "addresses" : "list", { push: true })}
          aria-pressed={shown === "addresses"}
        >
          Show addresses
        </button>
      </p>
    </div>
  );
}
