import { type ActionRef, Form } from "holdfast";

interface OwnerProps {
  owner: {
    rule: string;
    /** Undefined if the rule names no member of the project. */
    to: string | undefined;
    shownName: string | undefined;
    isAssigned: boolean;
  };
  /** Only for members. */
  action: ActionRef | undefined;
}

/** The person whom an ownership rule names for an issue. */
export function Owner({ owner: { rule, to, shownName, isAssigned }, action }: OwnerProps) {
  return (
    <section aria-labelledby="owner">
      <h2 id="owner">Owner by rule</h2>
      <p className="breaks">
        {shownName ?? "No member of this project"}, by <code>{rule}</code>
      </p>
      {action && to !== undefined && !isAssigned && (
        <Form action={action} of="issue">
          <input type="hidden" name="to" value={to} />
          <button type="submit" name="do" value="assign">
            Assign to {shownName}
          </button>
        </Form>
      )}
    </section>
  );
}
