import { Form, type FormState } from "holdfast";

export default function Booking({ data, actions }: PageProps<"/try/form">) {
  return (
    <div className="card stack">
      <Form action={actions.book} className="stack" noValidate>
        {(form) => (
          <>
            <h2>Book a table</h2>
            <Field form={form} name="name" label="Name" type="text" autoComplete="name" />
            <Field form={form} name="date" label="Day" type="date" />
            <div className="field">
              <label htmlFor="time">Time</label>
              <select id="time" {...form.field("time")}>
                <option value="">Choose a time</option>
                <option>18:00</option>
                <option>19:30</option>
                <option>21:00</option>
              </select>
              {form.error("time") && <span className="field-error" {...form.error("time")} />}
            </div>
            <p className="buttons">
              <button className="button primary" type="submit" disabled={form.pending}>
                {form.pending ? "Booking" : "Book"}
              </button>
            </p>
          </>
        )}
      </Form>
      <section aria-live="polite">
        <h2>Latest bookings</h2>
        {data.bookings.length === 0 && <p className="muted">None yet.</p>}
        <ul>
          {data.bookings.map(({ name, date, time }) => (
            <li key={`${date} ${time}`}>
              {name}, {date} at {time}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Field({
  form,
  name,
  label,
  type,
  autoComplete,
}: {
  form: FormState;
  name: string;
  label: string;
  type: string;
  autoComplete?: string;
}) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <input id={name} type={type} autoComplete={autoComplete} {...form.field(name)} />
      {form.error(name) && <span className="field-error" {...form.error(name)} />}
    </div>
  );
}
