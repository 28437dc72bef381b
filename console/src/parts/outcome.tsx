import { type ActionRef, Form } from "holdfast";
import { useEffect, useState } from "react";

interface Said {
  said: string;
  undo?: readonly number[];
}

/** As long as it takes to read it twice and reach for the button. */
const goneAfterMs = 12_000;

/** What the forms of this name have done, and the way back. It floats, so that no row moves for it. */
export function Outcome({ action, of }: { action: ActionRef; of: string }) {
  return (
    <Form action={action} of={of} notices={false}>
      {({ result, errors }) => <Words result={result} problems={errors} key={JSON.stringify([result, errors])} />}
    </Form>
  );
}

function Words({ result, problems }: { result: unknown; problems: readonly string[] }) {
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    const going = setTimeout(() => setGone(true), goneAfterMs);
    return () => clearTimeout(going);
  }, []);
  const outcome = isSaid(result) ? result : undefined;
  const text = outcome?.said ?? problems.join(" ");
  if (text === "" || isGone) return <p role="status" className="unseen" />;
  return (
    <p role="status" className={outcome ? "floats" : "floats problem"}>
      {text}
      {outcome?.undo && (
        <>
          <input type="hidden" name="do" value="undo" />
          {outcome.undo.map((number) => (
            <input key={number} type="hidden" name="number" value={number} />
          ))}
          <button type="submit" className="quiet" data-key="z">
            Undo <kbd>z</kbd>
          </button>
        </>
      )}
    </p>
  );
}

function isSaid(result: unknown): result is Said {
  return typeof result === "object" && result !== null && "said" in result && typeof result.said === "string";
}
