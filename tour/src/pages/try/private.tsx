import { Form } from "holdfast";

export default function Private({ actions }: PageProps<"/try/private">) {
  return (
    <Form action={actions.pay} className="card stack">
      <div className="field">
        <label htmlFor="card">Card number, any digits</label>
        <input
          id="card"
          name="card"
          type="text"
          inputMode="numeric"
          autoComplete="off"
          defaultValue="4000 1234 5678 9010"
        />
      </div>
      <div className="field">
        <label htmlFor="password">Password, any word</label>
        <input id="password" name="password" type="password" autoComplete="off" defaultValue="correct horse" />
      </div>
      <p className="buttons">
        <button className="button primary" type="submit">
          Pay, and fail
        </button>
        <a className="button" href="/try/private?token=f81d4fae7dec11d0&amp;size=42">
          Add a token to the address first
        </a>
      </p>
    </Form>
  );
}
