import { Form } from "holdfast";

export default function Guarded({ data, actions }: PageProps<"/try/guarded">) {
  return (
    <div className="card stack">
      <p className="state good">✓ Signed in as {data.name}</p>
      <Form action={actions.signOut}>
        <button className="button" type="submit">
          Sign out
        </button>
      </Form>
    </div>
  );
}
