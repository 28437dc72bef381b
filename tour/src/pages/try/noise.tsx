import { useState } from "react";
import { useScripts } from "../../parts/copy.tsx";

const noises = [
  { message: "ResizeObserver loop completed with undelivered notifications.", rule: "resize-observer" },
  { message: "Script error.", rule: "opaque-script-error" },
  { message: "Extension context invalidated.", rule: "extension-script" },
  { message: "The basket lost an item.", rule: undefined },
];

export default function Noise() {
  const [thrown, setThrown] = useState<readonly string[]>([]);
  const scripts = useScripts();
  return (
    <div className="card stack">
      <ul className="plain-list tries">
        {noises.map(({ message, rule }) => (
          <li key={message}>
            {scripts && (
              <button
                type="button"
                className="button"
                onClick={() => {
                  setThrown([message, ...thrown].slice(0, 5));
                  // Like an uncaught error: every listener of the page receives it.
                  globalThis.reportError(new Error(message));
                }}
              >
                Throw
              </button>
            )}
            <div>
              {message}
              <br />
              <span className="muted">
                {rule === undefined ? "An error of this application: reported." : `Left out by the rule ${rule}.`}
              </span>
            </div>
          </li>
        ))}
      </ul>
      {thrown.length > 0 && (
        <p role="status">
          Thrown: {thrown.join(" · ")} Only what is reported becomes an <code>event</code> among the last envelopes.
        </p>
      )}
      <noscript>
        <p>This page needs JavaScript, because it is about errors in it.</p>
      </noscript>
    </div>
  );
}
