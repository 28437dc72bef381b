import { Form } from "holdfast";

const senders = [
  { from: "elsewhere", says: "A page of https://elsewhere.example" },
  { from: "nobody", says: "A page that hides where it is (null)" },
  { from: "own", says: "This very site" },
];

export default function CrossSite({ data, actions }: PageProps<"/try/cross-site">) {
  return (
    <div className="card stack">
      <p>
        The server posts an empty booking to <code>{data.own}/try/form</code>, with the headers that a browser would
        send from the page you choose.
      </p>
      <Form action={actions.send}>
        {(form) => (
          <div className="stack">
            <p className="buttons">
              {senders.map(({ from, says }) => (
                <button key={from} className="button" type="submit" name="from" value={from}>
                  {says}
                </button>
              ))}
            </p>
            {form.result && (
              <p role="status">
                {form.result.status === 403 ? (
                  <span className="state good">✓ Refused with 403, before any code of the tour ran</span>
                ) : (
                  <span className="state info">
                    Taken, and answered with {form.result.status}: the booking was empty, so its fields are named
                  </span>
                )}
              </p>
            )}
          </div>
        )}
      </Form>
    </div>
  );
}
