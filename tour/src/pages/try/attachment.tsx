import { Form } from "holdfast";

export default function ImportPrices({ data, actions }: PageProps<"/try/attachment">) {
  return (
    <Form action={actions.import} className="card stack">
      {({ result }) => (
        <>
          <h2>prices.csv</h2>
          <pre>{data.priceList}</pre>
          <p className="buttons">
            <button className="button primary" type="submit">
              Import the price list
            </button>
          </p>
          {result?.digest !== undefined && (
            <div role="status" className="stack">
              <p>
                The list could not be imported. <span className="digest">{result.digest}</span>
              </p>
              <p>
                <a href={`/_holdfast/1/events/${result.digest}`} data-hard="">
                  See the error and its file, in the console
                </a>
              </p>
            </div>
          )}
          <p className="muted">
            Holdfast attaches nothing by itself. This page writes the envelope with <code>holdfast/protocol</code>; a
            Sentry client does it with <code>addAttachment</code>.
          </p>
        </>
      )}
    </Form>
  );
}
