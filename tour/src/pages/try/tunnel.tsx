import { Form } from "holdfast";

const letters = [
  { kind: "own", says: "A report of this application" },
  { kind: "foreign-dsn", says: "One that names another service" },
  { kind: "foreign-site", says: "One that another site sent" },
  { kind: "large", says: "One of two megabytes" },
  { kind: "nonsense", says: "Something that is no report" },
];

export default function Tunnel({ actions }: PageProps<"/try/tunnel">) {
  return (
    <Form action={actions.send} className="card stack">
      {(form) => (
        <>
          <p className="buttons">
            {letters.map(({ kind, says }) => (
              <button key={kind} className="button" type="submit" name="kind" value={kind}>
                {says}
              </button>
            ))}
          </p>
          {form.result && (
            <p role="status">
              <span className={`state ${form.result.status === 200 ? "good" : "info"}`}>{form.result.status}</span>{" "}
              <code>{form.result.text}</code>
            </p>
          )}
        </>
      )}
    </Form>
  );
}
