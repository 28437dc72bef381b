import { Form, FormRows } from "holdfast";

const check = async () => (await import("../../try/invoice-schema.ts")).invoiceSchema;

export default function Invoice({ actions }: PageProps<"/try/invoice">) {
  return (
    <div className="card stack">
      <Form action={actions.send} check={check} confirmLeave className="stack" noValidate>
        {(form) => (
          <>
            <h2>An invoice</h2>
            <div className="field">
              <label htmlFor="name">Name</label>
              <input id="name" autoComplete="name" {...form.field("address.name")} />
              {form.error("address.name") && <span className="field-error" {...form.error("address.name")} />}
            </div>
            <div className="field">
              <label htmlFor="city">City</label>
              <input id="city" autoComplete="address-level2" {...form.field("address.city")} />
              {form.error("address.city") && <span className="field-error" {...form.error("address.city")} />}
            </div>
            <FormRows form={form} list="lines" atLeast={1}>
              {(rows) => (
                <>
                  {rows.map(({ key, index, remove }) => (
                    <fieldset key={key} className="invoice-line">
                      <legend>Line {index + 1}</legend>
                      <div className="field">
                        <label htmlFor={`text-${key}`}>For</label>
                        <input id={`text-${key}`} {...form.field(`lines[${index}].text`)} />
                        {form.error(`lines[${index}].text`) && (
                          <span className="field-error" {...form.error(`lines[${index}].text`)} />
                        )}
                      </div>
                      <div className="field">
                        <label htmlFor={`amount-${key}`}>Amount</label>
                        <input id={`amount-${key}`} inputMode="decimal" {...form.field(`lines[${index}].amount`)} />
                        {form.error(`lines[${index}].amount`) && (
                          <span className="field-error" {...form.error(`lines[${index}].amount`)} />
                        )}
                      </div>
                      <button className="button" aria-label={`Remove line ${index + 1}`} {...remove}>
                        Remove
                      </button>
                    </fieldset>
                  ))}
                  <p className="buttons">
                    <button className="button" {...rows.add}>
                      Add a line
                    </button>
                    <button className="button primary" type="submit" disabled={form.pending}>
                      {form.pending ? "Sending" : "Send"}
                    </button>
                  </p>
                </>
              )}
            </FormRows>
            <p aria-live="polite">
              {form.result ? <output>Sent: {form.result.sent}.</output> : form.dirty && "Not sent yet."}
            </p>
          </>
        )}
      </Form>
    </div>
  );
}
