import { type ActionRef, Form } from "holdfast";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";

interface Said {
  said: string;
  undo?: readonly number[];
}

/** Time to read it twice and reach the button. */
const goneAfterMs = 12_000;

/** Result of the forms of this name, with its undo button. It floats, so that no row moves for it. */
export function Outcome({ action, of }: { action: ActionRef; of: string }) {
  return (
    <Form action={action} of={of} notices={false}>
      {({ result, errors }) => <Words said={isSaid(result) ? result : undefined} problems={errors} />}
    </Form>
  );
}

/** A refusal changes nothing, so the previous change can still be undone. */
function Words({ said, problems }: { said: Said | undefined; problems: readonly string[] }) {
  const key = JSON.stringify([said, problems]);
  const [last, setLast] = useState({ key, undo: said?.undo });
  const undo = said ? said.undo : last.undo;
  if (last.key !== key) setLast({ key, undo });
  const text = said?.said ?? problems.join(" ");
  return (
    <Floating key={key} text={text} isProblem={said === undefined} onGone={() => setLast({ key, undo: undefined })}>
      {undo && (
        <>
          <input type="hidden" name="do" value="undo" />
          {undo.map((number) => (
            <input key={number} type="hidden" name="number" value={number} />
          ))}
          <button type="submit" className="quiet" data-key="z">
            Undo <kbd>z</kbd>
          </button>
        </>
      )}
    </Floating>
  );
}

interface FloatingProps {
  text: string;
  isProblem: boolean;
  onGone: () => void;
  children: ReactNode;
}

function Floating({ text, isProblem, onGone, children }: FloatingProps) {
  const [isGone, setGone] = useState(false);
  const gone = useEffectEvent(() => {
    setGone(true);
    onGone();
  });
  useEffect(() => {
    if (!isProblem) closeMenu();
    const going = setTimeout(gone, goneAfterMs);
    return () => clearTimeout(going);
  }, [isProblem]);
  if (text === "" || isGone) return <p role="status" className="unseen" />;
  return (
    <p role="status" className={isProblem ? "floats problem" : "floats"}>
      {text}
      {children}
    </p>
  );
}

/** After a change the keys belong to the page again, not to the field that was filled in. */
function closeMenu(): void {
  const menu = document.querySelector(".toolbar .menu[open]");
  if (menu?.contains(document.activeElement)) menu.querySelector("summary")?.focus();
  menu?.removeAttribute("open");
}

function isSaid(result: unknown): result is Said {
  return typeof result === "object" && result !== null && "said" in result && typeof result.said === "string";
}
