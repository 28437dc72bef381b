import { Form, useFetcher } from "holdfast";

export default function Kept({ data: { orders, isAway }, actions }: PageProps<"/try/kept">) {
  // The state of the form below it: what the form itself says comes first.
  const { outcome } = useFetcher(actions.order, { of: "lamp" });
  return (
    <div className="card stack">
      <Form action={actions.switchProvider} className="stack">
        <p role="status">
          The payment provider{" "}
          <span className={isAway ? "state error" : "state good"}>{isAway ? "✗ is away" : "✓ answers"}</span>
        </p>
        <p className="buttons">
          <button className="button" type="submit">
            {isAway ? "Mend it" : "Break it"}
          </button>
        </p>
      </Form>
      <Form action={actions.order} of="lamp" className="stack" noValidate>
        {(form) => (
          <>
            <h2>Order a lamp</h2>
            <div className="field">
              <label htmlFor="lamp">Which one</label>
              <input id="lamp" type="text" autoComplete="off" {...form.field("lamp")} />
              {form.error("lamp") && <span className="field-error" {...form.error("lamp")} />}
            </div>
            <p className="buttons">
              <button className="button primary" type="submit" disabled={form.pending}>
                {form.pending ? "Ordering" : "Order"}
              </button>
            </p>
          </>
        )}
      </Form>
      {outcome?.kind === "failed" && outcome.kept && <RunAgain code={outcome.digest ?? ""} />}
      <section aria-live="polite">
        <h2>Latest orders</h2>
        {orders.length === 0 && <p className="muted">None yet.</p>}
        <ul>
          {orders.map(({ number, lamp, how }) => (
            <li key={number}>
              {lamp}, {how}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** What the operator does with the code that the visitor reads. */
function RunAgain({ code }: { code: string }) {
  return (
    <p>
      After the fix, the operator runs it with <code>npx holdfast kept run {code}</code>. The console has{" "}
      <a href={`/_holdfast/d/${code}`} data-hard="">
        the error under the same code
      </a>
      .
    </p>
  );
}
