import { useAlive } from "./alive.ts";

const keys: readonly (readonly [key: string, does: string])[] = [
  ["/", "to the box that takes anything (also Ctrl+K)"],
  ["j k", "next and previous row"],
  ["x", "choose the row"],
  ["o", "open the row"],
  ["e", "resolve"],
  ["m", "mute"],
  ["u", "reopen"],
  ["a", "assign to me"],
  ["z", "undo"],
  [".", "show what has come in"],
  ["[ ]", "older and newer event"],
  ["c", "copy the event as Markdown"],
  ["f", "filter a trace"],
  ["p", "pause Live"],
  ["?", "this list"],
];

/** The keys, in a panel of the browser's own: Escape closes it. */
export function KeyHelp() {
  if (!useAlive()) return null;
  return (
    <>
      <button type="button" className="quiet" data-key="?" popoverTarget="keys" aria-label="Keys">
        <kbd>?</kbd>
      </button>
      <div popover="auto" id="keys" className="panel">
        <h2>Keys</h2>
        <dl className="pairs">
          {keys.map(([key, does]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <p className="second">They can be turned off in the settings.</p>
      </div>
    </>
  );
}
