import { Form, Link } from "holdfast";
import type { GateRun } from "../../../server/run-gate.ts";

const builds = [
  { name: "withoutFix", button: "Check a build without the fix" },
  { name: "withFix", button: "Check a build with the fix" },
] as const;

export default function Gate({ actions }: PageProps<"/try/gate">) {
  return (
    <div className="card stack">
      <ol>
        <li>
          <Link to="/try/gate/prices" prefetch="none">
            Open the price list
          </Link>
          : it fails, and its digest leads to the issue.
        </li>
        <li>Say in the console that the issue is resolved in this release.</li>
        <li>Let a deployment ask whether that is true:</li>
      </ol>
      {builds.map(({ name, button }) => (
        <Form key={name} action={actions[name]}>
          {(form) => (
            <div className="stack">
              <p className="buttons">
                <button className="button" type="submit" disabled={form.pending}>
                  {form.pending ? "The gate replays requests" : button}
                </button>
              </p>
              {form.result !== undefined && <Outcome {...form.result} />}
            </div>
          )}
        </Form>
      ))}
    </div>
  );
}

const outcomes: Readonly<Record<string, { state: string; says: string }>> = {
  "fixed-and-still-failing": { state: "error", says: "✗ said to be fixed, and still fails: the deployment stops" },
  "fixed-and-passing": { state: "good", says: "✓ said to be fixed, and passes" },
  "open-still-failing": { state: "warning", says: "known, still fails: no reason to stop" },
  "open-passes-now": { state: "good", says: "✓ passes now, although no one has resolved it" },
};

function Outcome({ run }: { run: GateRun | undefined }) {
  if (run === undefined) return <p role="status">The gate needs a build and filed issues; here it could not run.</p>;
  if (run.found === undefined)
    return <p role="status">No error of the price list is filed yet: open it first. ({run.others} other issues)</p>;
  const { state, says } = outcomes[run.found.outcome] ?? { state: "info", says: run.found.outcome };
  return (
    <p role="status">
      <code>
        #{run.found.number} {run.found.request}
      </code>{" "}
      <span className={`state ${state}`}>{says}</span>
    </p>
  );
}
