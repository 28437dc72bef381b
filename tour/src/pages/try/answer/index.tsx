import { Form, Link } from "holdfast";

export default function Answer({ data: { desk }, actions }: PageProps<"/try/answer">) {
  const isBroken = desk === "broken";
  return (
    <div className="card stack">
      <p>
        <span className={isBroken ? "state error" : "state good"}>
          {isBroken ? "✗ The desk is broken." : "✓ The desk is repaired."}
        </span>
      </p>
      <p className="buttons">
        <Link className="button primary" to="/try/answer/desk" prefetch="none">
          Go to the desk
        </Link>
      </p>
      <Form action={isBroken ? actions.repair : actions.break}>
        <button className="button" type="submit">
          {isBroken ? "Repair it" : "Break it again"}
        </button>
      </Form>
      {!isBroken && (
        <p>
          Now resolve its issue: open{" "}
          <a href="/_holdfast/1/issues?q=desk" data-hard="">
            the list of issues
          </a>{" "}
          as its developer does. Then ask again under the digest, or open the tour in a new tab.
        </p>
      )}
    </div>
  );
}
