import { Form } from "holdfast";

export default function Pay({ actions }: PageProps<"/try/break/action">) {
  return (
    <Form action={actions.pay} className="card stack">
      <p className="buttons">
        <button className="button primary" type="submit">
          Pay
        </button>
      </p>
    </Form>
  );
}
