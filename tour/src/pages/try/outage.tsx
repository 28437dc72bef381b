import { useState } from "react";
import { FaultSwitch } from "../../try/fault-switch.tsx";

export default function Outage() {
  const [thrown, setThrown] = useState(0);
  return (
    <div className="card stack">
      <FaultSwitch choices={{ "no-reports": "Reports do not get through" }} />
      <p className="buttons">
        <button
          type="button"
          className="button primary"
          onClick={() => {
            setThrown(thrown + 1);
            globalThis.reportError(new Error(`Error ${thrown + 1} of an outage.`));
          }}
        >
          Throw an error
        </button>
        <span className="muted" role="status">
          {thrown} thrown by this page
        </span>
      </p>
      <noscript>
        <p>This page needs JavaScript, because it is about errors in it.</p>
      </noscript>
    </div>
  );
}
